import type { DiagramRequest, DiagramResponse } from "../shared/markdown/diagrams/diagram-messages.ts";
import { draw } from "./draw.ts";

/**
 * The document that diagrams are drawn in: sandboxed, so that its origin is nobody's, and forbidden by its policy to
 * load anything. What it knows of the page is the port it is handed, on which it takes sources and answers with SVG.
 */
addEventListener("message", ({ source, ports: [port] }) => {
  if (source !== parent || !port) return;
  port.onmessage = async ({ data }: MessageEvent<DiagramRequest>) => {
    const response: DiagramResponse = await draw(data.source, data.theme).then(
      (svg) => ({ svg }),
      (error: unknown) => ({ error: error instanceof Error ? error.message : String(error) }),
    );
    port.postMessage(response);
  };
});
