export interface OpenResponsesTarget {
  /** The base URL of the API, which ends in `/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly model: string;
}
export interface OpenResponsesResult {
  readonly id: string;
  /** The problems found; empty if the test passed. */
  readonly errors: readonly string[];
}
export const testIds: readonly string[];
export function runOpenResponses(
  target: OpenResponsesTarget,
  ids?: readonly string[],
): Promise<readonly OpenResponsesResult[]>;
