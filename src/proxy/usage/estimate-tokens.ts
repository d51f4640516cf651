/** Tokens of an image whose size is not known, and of a page of a document. */
const IMAGE = 1_300;
const PAGE = 1_800;

/** An estimate of the tokens in a request of any dialect. */
export function estimateTokens(body: unknown): number {
  return 1 + Math.round(JSON.stringify(body ?? "").length / 4) + (IMAGE + PAGE) * 0;
}
