import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import { AppError } from "../../errors.ts";
import { limitInterim } from "./limit-wait.ts";
import type { OpenStream } from "./open-streams.ts";
import type { RelayOutcome, RelayTask, ResponseDetails, ResponseWatch, StreamFilter } from "./relay-task.ts";
import { isEventStream, isExpected, problemIn, withoutIdentity } from "./response-checks.ts";
import { clientHeaders } from "./response-headers.ts";
import { clientDisconnected, streamCut, toUpstreamError } from "./upstream-errors.ts";

/** Answers up to this size are held until they are whole, so that one that breaks off is a clean 502. */
const MAX_BUFFERED = 256 * 1024;
const ERROR_BODY = 1024 * 1024;
/** Bytes of a response that is sent as a string. */
const SMALL = 16 * 1024;

type State = "waiting" | "buffering" | "refusing" | "open" | "over";

/** Carries one upstream answer to the client, byte for byte, at the client's speed. */
export class Relay implements Dispatcher.DispatchHandler, OpenStream {
  lastActivity = performance.now();
  place = -1;
  private readonly onClose = () => this.clientClosed();
  private controller: Dispatcher.DispatchController | undefined;
  private state: State = "waiting";
  private status = 0;
  private headers: IncomingHttpHeaders = {};
  private buffered: Buffer[] = [];
  private bufferedSize = 0;
  /** Of an answer that is passed on as it comes: what has come in this turn and goes out at its end. */
  private unsent: Buffer[] = [];
  private isPaused = false;
  private watch: ResponseWatch | undefined;
  private filter: StreamFilter | undefined;
  /** Events in whatever coding, or what else nobody may keep waiting. */
  private isLive = false;
  /** Events that can be read as they go by. */
  private isStream = false;
  private firstByteAt = 0;

  constructor(
    private readonly task: RelayTask,
    private readonly firstByteMs: number,
    private readonly done: (outcome: RelayOutcome) => void,
  ) {
    task.response.on("close", this.onClose);
    // That it has left is told once, and may have been while the upstream was chosen.
    if (task.response.destroyed) this.clientClosed();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.state === "over") controller.abort(clientDisconnected());
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    if (status < 200) limitInterim(this, this.task.upstream, this.lastActivity, this.firstByteMs);
    if (status < 200 || this.state === "over") return;
    this.lastActivity = performance.now();
    this.firstByteAt = this.lastActivity;
    this.status = status;
    this.headers = withoutIdentity(headers);
    const { kind } = this.task;
    const type = headers["content-type"] ?? "";
    if (status >= 300 && status < 400) this.refuseAnswer("wants to redirect, which is not followed");
    else if (kind === "verbatim") {
      this.open();
      // Listening clients wait for the head, and events may be hours away. Elsewhere it goes out with the first bytes.
      this.task.response.flushHeaders();
    } else if (status >= 400) this.state = "refusing";
    else if (!isExpected(kind, type)) this.refuseAnswer("answered with something other than JSON or events");
    else this.buffer(type);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.state === "over") return;
    if (this.isLive && this.state === "buffering") this.open();
    if (this.state === "open") {
      // One read brings many events of a quick vendor. Each written by itself would cost as much as all of them.
      if (this.unsent.push(chunk) === 1) process.nextTick(() => this.send());
      return;
    }
    this.lastActivity = performance.now();
    this.bufferedSize += chunk.length;
    if (this.state === "buffering" || this.bufferedSize <= ERROR_BODY) this.buffered.push(chunk);
    if (this.state === "buffering" && this.bufferedSize > MAX_BUFFERED) this.open();
  }

  onResponseEnd(): void {
    if (this.state === "buffering") this.endBuffered();
    else if (this.state === "refusing") this.endRefusal();
    else if (this.state === "open") this.endOpen();
  }

  onResponseError(_controller: Dispatcher.DispatchController, cause: Error): void {
    if (this.state === "over") return;
    const error = toUpstreamError(cause, this.task.upstream, this.firstByteAt > 0);
    if (this.state === "open") this.break(error);
    else this.finish({ kind: "failed", error, firstByteAt: this.firstByteAt });
  }

  onWaitOver(error: AppError): void {
    if (this.state === "waiting") this.fail(error);
  }

  /** What is held is let go, and a stream that stands between events gets a ping. */
  onSilence(): void {
    if (this.state === "buffering") this.open();
    const { response, dialect } = this.task;
    const ping = dialect?.ping ?? "";
    if (ping !== "" && this.state === "open" && this.isBetweenEvents() && !response.writableNeedDrain)
      response.write(ping);
  }

  /** Says that it is over, and breaks the connection: this is no end that the upstream has put. */
  onStop(): void {
    if (this.state !== "open") return;
    const error = new AppError("overloaded", "The proxy is stopping");
    const { response, dialect, requestId } = this.task;
    this.send();
    if (this.isBetweenEvents()) response.write(dialect?.errorEvent(error, requestId) ?? "");
    this.finishBroken(error);
    response.destroy();
    this.controller?.abort(error);
  }

  private buffer(type: string): void {
    const isEvents = isEventStream(type);
    this.isLive = isEvents || this.task.isLive;
    this.isStream = isEvents && this.headers["content-encoding"] === undefined;
    this.state = "buffering";
    this.task.streams.add(this);
  }

  private endBuffered(): void {
    const { response, kind, dialect } = this.task;
    const bytes =
      this.buffered.length === 1 && this.buffered[0] ? this.buffered[0] : Buffer.concat(this.buffered);
    const coding = this.headers["content-encoding"];
    if (bytes.length === 0 && this.task.mayBeEmpty) {
      response.writeHead(this.status, this.answerHeaders(this.headers["content-length"]));
      response.end();
      this.finishCompleted({});
      return;
    }
    const problem = problemIn(bytes, kind, coding);
    if (problem !== undefined) {
      this.refuseAnswer(problem);
      return;
    }
    response.writeHead(this.status, this.answerHeaders(bytes.length));
    // As text a small body goes out in one piece with the head; Latin-1 keeps every byte.
    if (bytes.length <= SMALL) response.end(bytes.toString("latin1"), "latin1");
    else response.end(bytes);
    if (coding !== undefined) this.finishCompleted({ compressed: { bytes, coding } });
    else {
      const responseError = kind === "model" ? dialect?.errorOf(bytes) : undefined;
      this.finishCompleted({ usage: dialect?.usageOf(bytes), responseError });
    }
  }

  private endRefusal(): void {
    this.finish({
      kind: "refused",
      status: this.status,
      headers: this.headers,
      body: Buffer.concat(this.buffered),
      firstByteAt: this.firstByteAt,
    });
  }

  private endOpen(): void {
    const { response, upstream } = this.task;
    const last = this.takeUnsent();
    const rest = this.filter?.end();
    if (this.isComplete()) {
      if (last && rest) response.write(last);
      response.end(rest ?? last);
      const watch = this.isLive ? this.watch : undefined;
      this.finishCompleted({ usage: this.watch?.usage(), responseError: watch?.error, watch });
      return;
    }
    if (last) response.write(last);
    if (rest) response.write(rest);
    this.break(streamCut(upstream));
  }

  /** Whether this can be the answer's end. What is compressed cannot be told, media and MCP servers may end as they like. */
  private isComplete(): boolean {
    const watch = this.watch;
    if (this.isStream) return watch?.ended === true;
    return this.task.kind !== "model" || watch === undefined || watch.endsValue;
  }

  private open(): void {
    const { response, dialect } = this.task;
    this.state = "open";
    if (this.headers["content-encoding"] === undefined) this.watch = dialect?.createWatch();
    if (this.isStream) this.filter = this.task.createFilter?.();
    const length = this.isStream ? undefined : this.headers["content-length"];
    response.writeHead(this.status, this.answerHeaders(length));
    this.unsent = this.buffered;
    this.buffered = [];
    this.send();
  }

  private answerHeaders(length: number | string | undefined): string[] {
    const list = clientHeaders(this.headers, this.task.ownHeaders, this.task.redact);
    if (length !== undefined) list.push("content-length", String(length));
    if (this.isStream && this.headers["x-accel-buffering"] === undefined)
      list.push("x-accel-buffering", "no");
    return list;
  }

  /** Passes on what has come, and lets the upstream wait while the client does not take it. */
  private send(): void {
    const { response } = this.task;
    const bytes = this.takeUnsent();
    if (bytes === undefined || response.write(bytes) || this.isPaused) return;
    this.isPaused = true;
    this.controller?.pause();
    response.once("drain", () => {
      this.isPaused = false;
      this.controller?.resume();
    });
  }

  private takeUnsent(): Buffer | undefined {
    const [first] = this.unsent;
    if (first === undefined) return undefined;
    const bytes = this.unsent.length === 1 ? first : Buffer.concat(this.unsent);
    this.unsent = [];
    this.lastActivity = performance.now();
    this.watch?.push(bytes);
    if (this.filter === undefined) return bytes;
    const passed = this.filter.push(bytes);
    return passed.length === 0 ? undefined : passed;
  }

  /** A stream that broke is ended with the dialect's error event; where none fits, the connection is broken. */
  private break(error: AppError): void {
    const { response, dialect, requestId } = this.task;
    this.send();
    if (!this.isBetweenEvents()) {
      // What has come still goes out; without the body's end, so that nobody takes it for whole.
      if (response.socket) response.socket.destroySoon();
      else response.destroy();
    } else if (this.watch?.ended) response.end();
    else response.end(dialect?.errorEvent(error, requestId));
    this.finishBroken(error);
  }

  /** Whether an event of ours can be put into the answer here. */
  private isBetweenEvents(): boolean {
    return this.isStream && this.watch?.betweenEvents === true;
  }

  private finishCompleted({ usage, responseError, watch, compressed }: ResponseDetails): void {
    const { status, firstByteAt } = this;
    this.finish({ kind: "completed", status, firstByteAt, usage, responseError, watch, compressed });
  }

  private finishBroken(error: AppError): void {
    const { status, firstByteAt, watch } = this;
    this.finish({ kind: "broken", status, error, firstByteAt, watch });
  }

  private refuseAnswer(what: string): void {
    this.fail(new AppError("upstream_invalid", `The upstream ${this.task.upstream} ${what}`));
  }

  private fail(error: AppError): void {
    this.finish({ kind: "failed", error, firstByteAt: this.firstByteAt });
    this.controller?.abort(error);
  }

  private clientClosed(): void {
    if (this.state === "over") return;
    // What came in this turn was said, though nobody took it.
    this.takeUnsent();
    this.finish({ kind: "disconnected", firstByteAt: this.firstByteAt, watch: this.watch });
    this.controller?.abort(clientDisconnected());
  }

  private finish(outcome: RelayOutcome): void {
    this.state = "over";
    this.task.response.off("close", this.onClose);
    this.task.streams.delete(this);
    this.buffered = [];
    this.unsent = [];
    this.done(outcome);
  }
}
