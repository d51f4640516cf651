import mermaid from "mermaid";

const MAX_LENGTH = 50_000;
const TIME_LIMIT = 3_000;
let drawn = 0;

/**
 * Draws a Mermaid diagram to SVG text. Strict: no HTML in labels, no click handlers, and the source's own directives
 * cannot change that. Rejects with the reason for a diagram that is wrong, too large or too slow.
 */
export async function drawDiagram(source: string, theme: "light" | "dark"): Promise<string> {
  if (source.length > MAX_LENGTH) throw new Error("it is longer than 50,000 characters");
  if (/\bimg\s*:/.test(source) && source.includes("//")) throw new Error("it shows pictures from elsewhere");
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: "strict",
    htmlLabels: false,
    flowchart: { htmlLabels: false },
    maxTextSize: MAX_LENGTH,
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
  const { svg } = await Promise.race([mermaid.render(`diagram-${drawn}`, source), timeLimit()]);
  return withSize(svg);
}

function timeLimit(): Promise<never> {
  return new Promise((_resolve, reject) => {
    setTimeout(() => reject(new Error("it takes too long")), TIME_LIMIT);
  });
}

/** An image needs a size of its own; Mermaid writes `width="100%"` and a limit that would cut it off. */
function withSize(svg: string): string {
  const [, , , width, height] = /viewBox="([-\d.]+) ([-\d.]+) ([\d.]+) ([\d.]+)"/.exec(svg) ?? [];
  if (!width || !height) return svg;
  return svg
    .replace(/^(<svg\b[^>]*?) style="[^"]*"/, "$1")
    .replace(/^(<svg\b[^>]*?) width="[^"]*"/, `$1 width="${width}" height="${height}"`);
}
