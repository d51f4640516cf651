/** What a page and the frame that draws its diagrams say to each other: one answer to each request, in order. */
export interface DiagramRequest {
  readonly source: string;
  readonly theme: "light" | "dark";
}

export type DiagramResponse = { readonly svg: string } | { readonly error: string };

/** A diagram as SVG text, or why there is none; `again` where it is not to blame, and may be drawn another time. */
export type DrawnDiagram = { readonly svg: string } | { readonly error: string; readonly again: boolean };

/** Characters of a diagram's source. */
export const MAX_DIAGRAM_LENGTH = 50_000;
