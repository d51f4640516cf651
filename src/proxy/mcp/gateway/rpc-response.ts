import type { IncomingMessage, ServerResponse } from "node:http";
import { endEarly } from "../../../http/early-response.ts";
import { eventStreamHeaders, keepAliveComment, serializeLine } from "../../../sse/serialize.ts";
import type { OpenStream, OpenStreams } from "../../upstream/open-streams.ts";
import type { RpcMessage } from "./json-rpc.ts";

/**
 * Writes the response to one HTTP request of an MCP client: JSON, or an event stream as soon as a message precedes the
 * response.
 */
export class RpcWriter implements OpenStream {
  lastActivity = performance.now();
  index = -1;
  private isEnded = false;
  private readonly takesEvents: boolean;

  constructor(
    private readonly request: IncomingMessage,
    private readonly response: ServerResponse,
    private readonly headers: readonly string[],
    private readonly streams: OpenStreams,
  ) {
    const { accept = "*/*" } = request.headers;
    this.takesEvents = /text\/event-stream|\*\/\*/.test(accept);
    response.once("close", () => this.finish());
    streams.add(this);
  }

  /** Sends a message before the response; does nothing if the client does not accept events. */
  readonly emit = (message: RpcMessage): void => {
    if (this.isEnded || !this.startEvents()) return;
    this.lastActivity = performance.now();
    this.response.write(serializeLine(JSON.stringify(message), "message"));
  };

  /** Begins an event stream. Returns false if the client does not accept one. */
  startEvents(): boolean {
    const { response } = this;
    if (response.headersSent || !this.takesEvents) return response.headersSent;
    response.writeHead(200, [...this.headers, ...Object.entries(eventStreamHeaders).flat()]);
    response.flushHeaders();
    return true;
  }

  /** Sends the last message, and ends the response. */
  end(message: RpcMessage | undefined, status = 200, headers: readonly string[] = []): void {
    if (this.isEnded) return;
    this.finish();
    const { response } = this;
    if (response.headersSent) {
      response.end(message && serializeLine(JSON.stringify(message), "message"));
      return;
    }
    const body = message === undefined ? "" : JSON.stringify(message);
    const type = body === "" ? [] : ["content-type", "application/json; charset=utf-8"];
    response.writeHead(status, [
      ...this.headers,
      ...headers,
      ...type,
      "content-length",
      String(Buffer.byteLength(body)),
      ...(this.request.complete ? [] : ["connection", "close"]),
    ]);
    endEarly(this.request, response, body);
  }

  onSilence(): void {
    if (this.response.headersSent && !this.isEnded) this.response.write(keepAliveComment);
  }

  onStop(): void {
    this.finish();
    this.response.end();
  }

  private finish(): void {
    this.isEnded = true;
    this.streams.delete(this);
  }
}
