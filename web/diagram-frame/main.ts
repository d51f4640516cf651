import type { DiagramRequest, DiagramResponse } from "../shared/markdown/diagrams/diagram-messages.ts";
import { draw } from "./draw.ts";

/**
 * Renders diagrams in a sandboxed document with an opaque origin, whose CSP forbids loading anything. Receives a
 * message port from the page, and responds to each source that arrives at the port with SVG or an error.
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
