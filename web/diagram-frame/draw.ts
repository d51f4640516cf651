import mermaid from "mermaid";
import { MAX_DIAGRAM_LENGTH } from "../shared/markdown/diagrams/diagram-messages.ts";

let drawn = 0;

/**
 * Renders a Mermaid diagram to SVG text, without HTML in labels and without click handlers. Directives in the source
 * cannot change this. Rejects with the reason if the diagram is invalid.
 */
export async function draw(source: string, theme: "light" | "dark"): Promise<string> {
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: "strict",
    htmlLabels: false,
    flowchart: { htmlLabels: false },
    maxTextSize: MAX_DIAGRAM_LENGTH,
    maxEdges: 500,
    suppressErrorRendering: true,
    theme: theme === "dark" ? "dark" : "neutral",
    fontFamily: "system-ui, sans-serif",
    secure: [
      "secure",
      "securityLevel",
      "startOnLoad",
      "maxTextSize",
      "maxEdges",
      "htmlLabels",
      "flowchart",
      "themeCSS",
      "themeVariables",
      "fontFamily",
      "suppressErrorRendering",
    ],
  });
  drawn += 1;
  const { svg } = await mermaid.render(`diagram-${drawn}`, source);
  return withSize(svg);
}

/**
 * Sets the size, which an image needs. Mermaid writes `width="100%"` and a maximum width that would crop the image.
 */
function withSize(svg: string): string {
  const [, , , width, height] = /viewBox="([-\d.]+) ([-\d.]+) ([\d.]+) ([\d.]+)"/.exec(svg) ?? [];
  if (!width || !height) return svg;
  return svg
    .replace(/^(<svg\b[^>]*?) style="[^"]*"/, "$1")
    .replace(/^(<svg\b[^>]*?) width="[^"]*"/, `$1 width="${width}" height="${height}"`);
}
