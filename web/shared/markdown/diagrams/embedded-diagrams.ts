import type { DrawnDiagram } from "./diagram-messages.ts";

const drawn = new Map<string, string>();

/** Sets the diagrams of a saved page, as SVG by source. */
export function embedDiagrams(diagrams: Readonly<Record<string, string>>): void {
  for (const [source, svg] of Object.entries(diagrams)) drawn.set(source, svg);
}

/** Returns an embedded diagram. In a saved page, this function replaces the diagram library. */
export async function drawDiagram(source: string): Promise<DrawnDiagram> {
  const svg = drawn.get(source);
  return svg === undefined
    ? { error: "it was not rendered when this page was saved", again: false }
    : { svg };
}
