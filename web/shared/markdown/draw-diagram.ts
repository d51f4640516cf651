import { type DiagramFrame, openDiagramFrame } from "./diagram-frame.ts";
import { type DiagramRequest, MAX_DIAGRAM_LENGTH } from "./diagram-messages.ts";

const TIME_LIMIT = 10_000;

let frame: Promise<DiagramFrame> | undefined;
let last: Promise<unknown> = Promise.resolve();

/**
 * Draws a Mermaid diagram to SVG text, in a frame that is opened with the first one. Rejects with the reason for a
 * diagram that is wrong, too large or too slow.
 */
export async function drawDiagram(source: string, theme: DiagramRequest["theme"]): Promise<string> {
  if (source.length > MAX_DIAGRAM_LENGTH) throw new Error("it is longer than 50,000 characters");
  if (/\bimg\s*:/.test(source) && source.includes("//")) throw new Error("it shows pictures from elsewhere");
  // One after the other: the time that one takes is its own.
  const drawing = last.then(() => drawInFrame({ source, theme }));
  last = drawing.catch(() => {});
  return drawing;
}

async function drawInFrame(request: DiagramRequest): Promise<string> {
  frame ??= openDiagramFrame();
  const opened = await frame;
  const answer = await Promise.race([opened.ask(request), timeLimit()]);
  if (answer === undefined) {
    // It may never come back to take another.
    opened.close();
    frame = undefined;
    throw new Error("it takes too long");
  }
  if ("error" in answer) throw new Error(answer.error);
  return answer.svg;
}

function timeLimit(): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(undefined), TIME_LIMIT);
  });
}
