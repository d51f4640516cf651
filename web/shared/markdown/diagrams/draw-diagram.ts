import { type DiagramFrame, openDiagramFrame } from "./diagram-frame.ts";
import { type DiagramRequest, type DrawnDiagram, MAX_DIAGRAM_LENGTH } from "./diagram-messages.ts";

const TIME_LIMIT = 10_000;

let frame: Promise<DiagramFrame | undefined> | undefined;
let last: Promise<unknown> = Promise.resolve();

/** Draws a Mermaid diagram, in a frame that is opened with the first one and again after one that failed. Never rejects. */
export async function drawDiagram(source: string, theme: DiagramRequest["theme"]): Promise<DrawnDiagram> {
  if (source.length > MAX_DIAGRAM_LENGTH) return wrong("it is longer than 50,000 characters");
  if (/\bimg\s*:/.test(source) && source.includes("//")) return wrong("it loads images from other servers");
  // One after the other: the time that one takes is its own.
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
    // It may never come back to take another.
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
