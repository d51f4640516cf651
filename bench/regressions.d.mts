export interface BenchResult {
  readonly id: string;
  readonly title: string;
  readonly lower: boolean;
  readonly ratios: Readonly<Record<string, number>>;
  /** The reason why there are no ratios. */
  readonly failed?: string;
}
export interface Regression {
  readonly id: string;
  readonly title: string;
  readonly name: string;
  /** Whether a smaller ratio is better. */
  readonly lower: boolean;
  readonly before: number;
  readonly now: number;
}
type Ratios = Readonly<Record<string, Readonly<Record<string, number>>>>;
export function regressions(results: readonly BenchResult[], stored: Ratios): Regression[];
export function unmeasured(results: readonly BenchResult[], stored: Ratios): string[];
