import { afterPaint } from "../../after-paint.ts";
import type { DiagramRequest, DiagramResponse } from "./diagram-messages.ts";

/** Where diagrams are drawn: see `web/diagram-frame`. */
export interface DiagramFrame {
  /** Settles with the answer to this request; one at a time. */
  ask(request: DiagramRequest): Promise<DiagramResponse>;
  close(): void;
}

const ADDRESS = "/assets/diagram-frame.html";

/** Opens the frame out of sight and hands it one end of a channel. Resolves to undefined where it cannot be loaded. */
export async function openDiagramFrame(): Promise<DiagramFrame | undefined> {
  await afterPaint();
  // A frame tells nobody that an error's page was loaded in its place.
  const isThere = await fetch(ADDRESS, { method: "HEAD" }).then(
    ({ ok }) => ok,
    () => false,
  );
  if (!isThere) return undefined;
  const frame = document.createElement("iframe");
  // Scripts, but neither this page's origin nor its storage; no way to navigate it or to open windows.
  frame.setAttribute("sandbox", "allow-scripts");
  frame.src = ADDRESS;
  frame.title = "Diagrams";
  frame.className = "diagram-frame";
  frame.tabIndex = -1;
  frame.ariaHidden = "true";
  await new Promise((resolve) => {
    frame.onload = resolve;
    document.body.append(frame);
  });
  const { port1, port2 } = new MessageChannel();
  // Its origin is opaque and cannot be named; nothing is told before the port is in its hands.
  frame.contentWindow?.postMessage(undefined, "*", [port2]);
  return {
    ask(request) {
      return new Promise((resolve) => {
        port1.onmessage = ({ data }) => resolve(responseFrom(data));
        port1.postMessage(request);
      });
    },
    close() {
      port1.close();
      frame.remove();
    },
  };
}

/** The frame runs what a diagram made of it: nothing it says is taken for granted. */
function responseFrom(data: unknown): DiagramResponse {
  if (typeof data === "object" && data !== null) {
    if ("svg" in data && typeof data.svg === "string") return { svg: data.svg };
    if ("error" in data && typeof data.error === "string") return { error: data.error };
  }
  return { error: "the diagram library returned no result" };
}
