import { type DiagramFrame, openDiagramFrame } from "./diagram-frame.ts";
import { type DiagramRequest, type DrawnDiagram, MAX_DIAGRAM_LENGTH } from "./diagram-messages.ts";

const TIME_LIMIT = 10_000;

let frame: Promise<DiagramFrame | undefined> | undefined;
let last: Promise<unknown> = Promise.resolve();

/** Renders a Mermaid diagram in the frame, which is opened on first use. Never rejects. */
export async function drawDiagram(source: string, theme: DiagramRequest["theme"]): Promise<DrawnDiagram> {
  if (source.length > MAX_DIAGRAM_LENGTH) return wrong("it is longer than 50,000 characters");
  if (/\bimg\s*:/.test(source) && source.includes("//")) return wrong("it loads images from other servers");
  // Diagrams are rendered one at a time, so that each has the whole time limit.
  const drawing = last.then(() => drawInFrame({ source, theme }));
  last = drawing;
  return drawing;
}

async function drawInFrame(request: DiagramRequest): Promise<DrawnDiagram> {
  frame ??= openDiagramFrame();
  const opened = await frame;
  if (!opened) {
    frame = undefined;
    return { error: "the diagram library cannot be loaded", again: true };
  }
  const response = await Promise.race([opened.ask(request), timeLimit()]);
  if (response === undefined) {
    // The frame may never respond again.
    opened.close();
    frame = undefined;
    return { error: "it takes too long", again: true };
  }
  return "error" in response ? wrong(response.error) : response;
}

const wrong = (error: string): DrawnDiagram => ({ error, again: false });

function timeLimit(): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(undefined), TIME_LIMIT);
  });
}
