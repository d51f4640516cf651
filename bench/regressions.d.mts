export interface BenchResult {
  readonly id: string;
  readonly title: string;
  readonly lower: boolean;
  readonly ratios: Readonly<Record<string, number>>;
}
export interface Regression {
  readonly id: string;
  readonly title: string;
  readonly name: string;
  readonly before: number;
  readonly now: number;
}
export function regressions(
  results: readonly BenchResult[],
  stored: Readonly<Record<string, Readonly<Record<string, number>>>>,
): Regression[];
