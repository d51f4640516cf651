export function tryAgain<Result>(
  what: string,
  task: () => Result | Promise<Result>,
  options?: { readonly pauses?: readonly number[]; readonly report?: (text: string) => void },
): Promise<Result>;
export function firstLine(error: unknown): string;
