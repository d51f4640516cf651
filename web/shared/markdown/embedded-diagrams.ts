const drawn = new Map<string, string>();

/** Hands a page that has no diagram library the diagrams it may show, as SVG by source. */
export function embedDiagrams(diagrams: Readonly<Record<string, string>>): void {
  for (const [source, svg] of Object.entries(diagrams)) drawn.set(source, svg);
}

/** Takes the place of the diagram library in a saved page. */
export async function drawDiagram(source: string): Promise<string> {
  const svg = drawn.get(source);
  if (svg === undefined) throw new Error("it was not drawn when this page was saved");
  return svg;
}
