/** A request from the page to the diagram frame. The frame sends one response per request, in order. */
export interface DiagramRequest {
  readonly source: string;
  readonly theme: "light" | "dark";
}

export type DiagramResponse = { readonly svg: string } | { readonly error: string };

/** A diagram as SVG text, or the reason for the failure. `again`: another attempt may succeed. */
export type DrawnDiagram = { readonly svg: string } | { readonly error: string; readonly again: boolean };

/** Maximum length of a diagram's source, in characters. */
export const MAX_DIAGRAM_LENGTH = 50_000;
