import type { DrawnDiagram } from "./diagram-messages.ts";

const drawn = new Map<string, string>();

/** Sets the diagrams of a saved page, as SVG by source. */
export function embedDiagrams(diagrams: Readonly<Record<string, string>>): void {
  for (const [source, svg] of Object.entries(diagrams)) drawn.set(source, svg);
}

/** Replaces the diagram library in a saved page. */
export async function drawDiagram(source: string): Promise<DrawnDiagram> {
  const svg = drawn.get(source);
  return svg === undefined
    ? { error: "it was not rendered when this page was saved", again: false }
    : { svg };
}
