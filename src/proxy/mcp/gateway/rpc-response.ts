import type { IncomingMessage, ServerResponse } from "node:http";
import { endEarly } from "../../../http/early-response.ts";
import { eventStreamHeaders, keepAliveComment, serializeLine } from "../../../sse/serialize.ts";
import type { OpenStream, OpenStreams } from "../../upstream/open-streams.ts";
import type { RpcMessage } from "./json-rpc.ts";
import type { StreamRecord, StreamRecords, StreamSink } from "./stream-record.ts";

/** Milliseconds after which clients continue a stream that has ended before its response. */
const RETRY_MS = 1_000;

/**
 * Writes the response to one HTTP request of an MCP client: JSON, or an event stream if a message precedes the response
 * or a caller begins the stream.
 */
export class RpcWriter implements OpenStream {
  lastActivity = performance.now();
  index = -1;
  private isEnded = false;
  private record: StreamRecord | undefined;
  private forget = () => {};
  private readonly takesEvents: boolean;
  private readonly sink: StreamSink = {
    write: ({ id, data }) =>
      this.write(
        data === ""
          ? `id: ${id}\nretry: ${RETRY_MS}\n${serializeLine(data)}`
          : `id: ${id}\n${serializeLine(data, "message")}`,
      ),
    end: () => this.endStream(),
  };

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

  /**
   * Records the events of this response, so that the client can continue it on another connection. `onEnd` is called
   * once when the stream has ended, or when the client has not returned in time.
   */
  keep(records: StreamRecords, onEnd?: () => void): void {
    const record = records.begin(onEnd);
    this.record = record;
    const forget = () => records.drop(record);
    this.forget = forget;
    record.attach(this.sink);
  }

  /** Continues a recorded stream after its event number `after`. */
  resume(record: StreamRecord, after: number): void {
    if (!this.startEvents()) return;
    this.record = record;
    record.attach(this.sink, after);
  }

  /** Sends a message before the response; does nothing if the client does not accept events. */
  readonly emit = (message: RpcMessage): void => {
    if (!this.startEvents()) return;
    const data = JSON.stringify(message);
    if (this.record === undefined) this.write(serializeLine(data, "message"));
    else this.record.add(data);
  };

  /**
   * Begins an event stream, unless one has begun. Returns false if the client does not accept event streams, or if the
   * response ended before a stream began.
   */
  startEvents(): boolean {
    const { response } = this;
    if (response.headersSent) return true;
    if (this.isEnded || !this.takesEvents) return false;
    response.writeHead(200, [...this.headers, ...Object.entries(eventStreamHeaders).flat()]);
    response.flushHeaders();
    return true;
  }

  /** Begins an event stream with an event that has only an id, so that the client can continue from the beginning. */
  startRecord(): void {
    if (!this.response.headersSent && this.startEvents()) this.record?.add("");
  }

  /** Sends the last message, and ends the response. */
  end(message: RpcMessage | undefined, status = 200, headers: readonly string[] = []): void {
    const { response, record } = this;
    if (response.headersSent) {
      const data = message === undefined ? undefined : JSON.stringify(message);
      if (record !== undefined) {
        if (data !== undefined) record.add(data);
        record.end();
      } else if (data !== undefined) this.write(serializeLine(data, "message"));
      this.endStream();
      return;
    }
    // Without an event, the client has no id after which it could continue.
    record?.detach(this.sink);
    this.forget();
    if (this.isEnded) return;
    this.finish();
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
    this.endStream();
  }

  private write(text: string): void {
    if (this.isEnded) return;
    this.lastActivity = performance.now();
    this.response.write(text);
  }

  private endStream(): void {
    if (this.isEnded) return;
    this.finish();
    this.response.end();
  }

  private finish(): void {
    this.isEnded = true;
    this.streams.delete(this);
    this.record?.detach(this.sink);
  }
}
