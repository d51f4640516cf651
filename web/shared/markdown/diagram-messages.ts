/** What a page and the frame that draws its diagrams say to each other: one answer to each request, in order. */
export interface DiagramRequest {
  readonly source: string;
  readonly theme: "light" | "dark";
}

export type DiagramAnswer = { readonly svg: string } | { readonly error: string };

/** Characters of a diagram's source. */
export const MAX_DIAGRAM_LENGTH = 50_000;
