import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { Dispatcher } from "undici";
import { AppError } from "../../errors.ts";
import type { OpenStream, OpenStreams } from "../open-streams.ts";
import type { StreamWatch } from "../usage/stream-watch.ts";
import { upstreamFault } from "./faults.ts";
import { clientHeaders } from "./response-headers.ts";

/** What is relayed, and to whom. */
export interface RelayTask {
  readonly upstream: string;
  readonly response: ServerResponse;
  /** `model`: JSON or events; `media`: anything but a page; `verbatim`: whatever it is, at once (MCP). */
  readonly kind: "model" | "media" | "verbatim";
  /** Headers of ours on the answer: flat list, lower-case names. */
  readonly ownHeaders: readonly string[];
  readonly createWatch: () => StreamWatch;
  /** The client dialect's last event for a fault in mid-stream. */
  readonly faultEvent: (fault: AppError) => string;
  /** The client dialect's keep-alive. */
  readonly ping: string;
  readonly streams: OpenStreams;
}

/** How a try ended. Only `refused` and `failed` have sent the client nothing, so that another try may follow. */
export type RelayOutcome = { readonly firstByteAt: number } & (
  | {
      readonly kind: "answered";
      readonly status: number;
      readonly body?: Buffer;
      readonly watch?: StreamWatch;
    }
  | {
      readonly kind: "refused";
      readonly status: number;
      readonly headers: IncomingHttpHeaders;
      readonly body: Buffer;
    }
  | { readonly kind: "failed"; readonly fault: AppError }
  | {
      readonly kind: "broken";
      readonly status: number;
      readonly fault: AppError;
      readonly watch?: StreamWatch;
    }
  | { readonly kind: "gone" }
);

/** Answers up to this size are held until they are whole, so that one that breaks off is a clean 502. */
const HELD = 256 * 1024;
const ONE_PIECE = 16 * 1024;
/** Of an error's body. */
const ERROR_BODY = 1024 * 1024;

type State = "waiting" | "holding" | "refusing" | "open" | "over";

/** Carries one upstream answer to the client, byte for byte, at the client's speed. */
export class Relay implements Dispatcher.DispatchHandler, OpenStream {
  lastActivity = performance.now();
  readonly #task: RelayTask;
  readonly #done: (outcome: RelayOutcome) => void;
  readonly #onClose = () => this.#clientClosed();
  #controller: Dispatcher.DispatchController | undefined;
  #state: State = "waiting";
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  #held: Buffer[] = [];
  #heldSize = 0;
  #watch: StreamWatch | undefined;
  #firstByteAt = 0;

  constructor(task: RelayTask, done: (outcome: RelayOutcome) => void) {
    this.#task = task;
    this.#done = done;
    task.response.once("close", this.#onClose);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#state === "over") controller.abort(gone());
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    if (status < 200 || this.#state === "over") return;
    this.lastActivity = performance.now();
    this.#firstByteAt = this.lastActivity;
    this.#status = status;
    this.#headers = headers;
    const { kind } = this.#task;
    const type = headers["content-type"] ?? "";
    if (status >= 300 && status < 400) this.#refuseAnswer("wants to redirect, which is not followed");
    else if (kind === "verbatim") {
      this.#open();
      // Listening clients wait for the head, and events may be hours away. Elsewhere it goes out with the first bytes.
      this.#task.response.flushHeaders();
    } else if (status >= 400) this.#state = "refusing";
    else if (!isExpected(kind, type)) this.#refuseAnswer("answered with something other than JSON or events");
    else this.#hold(type);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#state === "over") return;
    this.lastActivity = performance.now();
    if (this.#watch) {
      this.#watch.push(chunk);
      if (this.#state === "holding") this.#open();
    }
    if (this.#state === "open") {
      this.#write(chunk);
      return;
    }
    this.#heldSize += chunk.length;
    if (this.#state === "holding" || this.#heldSize <= ERROR_BODY) this.#held.push(chunk);
    if (this.#state === "holding" && this.#heldSize > HELD) this.#open();
  }

  onResponseEnd(): void {
    if (this.#state === "holding") this.#endHeld();
    else if (this.#state === "refusing") this.#endRefusal();
    else if (this.#state === "open") this.#endOpen();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#state === "over") return;
    const fault = upstreamFault(error, this.#task.upstream, this.#firstByteAt > 0);
    if (this.#state === "open") this.#break(fault);
    else this.#finish({ kind: "failed", fault, firstByteAt: this.#firstByteAt });
  }

  /** What is held is let go, and a stream that stands between events gets a ping. */
  onSilence(): void {
    if (this.#state === "holding") this.#open();
    if (this.#state === "open" && this.#watch?.betweenEvents && !this.#task.response.writableNeedDrain)
      this.#task.response.write(this.#task.ping);
  }

  /** Says that it is over, and breaks the connection: this is no end that the upstream has put. */
  onStop(): void {
    if (this.#state !== "open") return;
    const fault = new AppError("overloaded", "The proxy is stopping");
    const { response } = this.#task;
    if (this.#watch?.betweenEvents) response.write(this.#task.faultEvent(fault));
    this.#finish({
      kind: "broken",
      status: this.#status,
      fault,
      firstByteAt: this.#firstByteAt,
      ...this.#watched(),
    });
    response.destroy();
    this.#controller?.abort(fault);
  }

  #hold(type: string): void {
    if (/^text\/event-stream\b/i.test(type) && this.#headers["content-encoding"] === undefined)
      this.#watch = this.#task.createWatch();
    this.#state = "holding";
    this.#task.streams.add(this);
  }

  #endHeld(): void {
    const body = this.#held.length === 1 && this.#held[0] ? this.#held[0] : Buffer.concat(this.#held);
    const coding = this.#headers["content-encoding"];
    if (body.length === 0) this.#refuseAnswer("answered with nothing");
    else if (this.#task.kind === "model" && coding === undefined && !isWholeJson(body))
      this.#refuseAnswer("answered with half a reply");
    else if (coding === "gzip" && !isGzip(body))
      this.#refuseAnswer("answered in another coding than it says");
    else {
      this.#task.response.writeHead(this.#status, this.#answerHeaders(body.length));
      // As text a small body goes out in one piece with the head; latin1 keeps every byte.
      if (body.length <= ONE_PIECE) this.#task.response.end(body.toString("latin1"), "latin1");
      else this.#task.response.end(body);
      this.#finish({ kind: "answered", status: this.#status, body, firstByteAt: this.#firstByteAt });
    }
  }

  #endRefusal(): void {
    this.#finish({
      kind: "refused",
      status: this.#status,
      headers: this.#headers,
      body: Buffer.concat(this.#held),
      firstByteAt: this.#firstByteAt,
    });
  }

  #endOpen(): void {
    if (this.#watch && !this.#watch.ended) {
      this.#break(cut(this.#task.upstream));
      return;
    }
    this.#task.response.end();
    this.#finish({
      kind: "answered",
      status: this.#status,
      firstByteAt: this.#firstByteAt,
      ...this.#watched(),
    });
  }

  #open(): void {
    this.#state = "open";
    const length = this.#watch ? undefined : this.#headers["content-length"];
    this.#task.response.writeHead(this.#status, this.#answerHeaders(length));
    for (const chunk of this.#held.splice(0)) this.#write(chunk);
  }

  #answerHeaders(length: number | string | undefined): string[] {
    const list = clientHeaders(this.#headers, this.#task.ownHeaders);
    if (length !== undefined) list.push("content-length", String(length));
    if (this.#watch && this.#headers["x-accel-buffering"] === undefined) list.push("x-accel-buffering", "no");
    return list;
  }

  #write(chunk: Buffer): void {
    const { response } = this.#task;
    if (response.write(chunk)) return;
    this.#controller?.pause();
    response.once("drain", () => this.#controller?.resume());
  }

  /** A stream that broke is ended with the dialect's error event; where none fits, the connection is broken. */
  #break(fault: AppError): void {
    const { response } = this.#task;
    if (this.#watch?.ended && this.#watch.betweenEvents) response.end();
    else if (this.#watch?.betweenEvents) response.end(this.#task.faultEvent(fault));
    else response.destroy();
    this.#finish({
      kind: "broken",
      status: this.#status,
      fault,
      firstByteAt: this.#firstByteAt,
      ...this.#watched(),
    });
  }

  #refuseAnswer(what: string): void {
    const fault = new AppError("upstream_invalid", `The upstream ${this.#task.upstream} ${what}`);
    this.#finish({ kind: "failed", fault, firstByteAt: this.#firstByteAt });
    this.#controller?.abort(fault);
  }

  #clientClosed(): void {
    if (this.#state === "over") return;
    this.#finish({ kind: "gone", firstByteAt: this.#firstByteAt });
    this.#controller?.abort(gone());
  }

  #watched(): { watch?: StreamWatch } {
    return this.#watch ? { watch: this.#watch } : {};
  }

  #finish(outcome: RelayOutcome): void {
    this.#state = "over";
    this.#task.response.off("close", this.#onClose);
    this.#task.streams.delete(this);
    this.#held = [];
    this.#done(outcome);
  }
}

function isExpected(kind: RelayTask["kind"], type: string): boolean {
  if (kind === "media") return !/^text\/html\b/i.test(type);
  return type === "" || /^(?:application\/(?:[\w.+-]*\+)?json|text\/event-stream)\b/i.test(type);
}

/** Whether the last byte that is no space closes an object or an array. */
function isWholeJson(body: Buffer): boolean {
  let at = body.length - 1;
  while (at >= 0 && (body[at] ?? 0) <= 0x20) at -= 1;
  return body[at] === 0x7d || body[at] === 0x5d;
}

/** RFC 1952, section 2.3.1. */
function isGzip(body: Buffer): boolean {
  return body[0] === 0x1f && body[1] === 0x8b;
}

function cut(upstream: string): AppError {
  return new AppError("upstream_cut", `The stream of the upstream ${upstream} ended before its last event`);
}

function gone(): AppError {
  return new AppError("client_gone", "The client left");
}
