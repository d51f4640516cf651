import { afterPaint } from "../../after-paint.ts";
import type { DiagramRequest, DiagramResponse } from "./diagram-messages.ts";

/** The frame that renders diagrams: see `web/diagram-frame`. */
export interface DiagramFrame {
  /** Resolves to the response to a request. The caller must wait for the response before the next request. */
  ask(request: DiagramRequest): Promise<DiagramResponse>;
  close(): void;
}

const ADDRESS = "/assets/diagram-frame.html";

/**
 * Opens the hidden frame and passes it one port of a message channel. Resolves to undefined if the frame
 * cannot be loaded.
 */
export async function openDiagramFrame(): Promise<DiagramFrame | undefined> {
  await afterPaint();
  // A request checks the URL first, because a frame does not report that it loaded an error page.
  const isThere = await fetch(ADDRESS, { method: "HEAD" }).then(
    ({ ok }) => ok,
    () => false,
  );
  if (!isThere) return undefined;
  const frame = document.createElement("iframe");
  // Allows scripts only: no access to this page's origin or storage, no navigation, no windows.
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
  // The frame's origin is opaque, so the target must be "*". The message contains only the port.
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

/** Validates a message of the frame, which runs code derived from the diagram and is not trusted. */
function responseFrom(data: unknown): DiagramResponse {
  if (typeof data === "object" && data !== null) {
    if ("svg" in data && typeof data.svg === "string") return { svg: data.svg };
    if ("error" in data && typeof data.error === "string") return { error: data.error };
  }
  return { error: "the diagram library returned no result" };
}
