import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import { AppError } from "../../errors.ts";
import { limitInterim } from "./limit-wait.ts";
import type { OpenStream } from "./open-streams.ts";
import type { RelayOutcome, RelayTask, ResponseDetails, ResponseWatch, StreamFilter } from "./relay-task.ts";
import { isEventStream, isExpected, problemIn, readDetails, withoutIdentity } from "./response-checks.ts";
import { clientHeaders } from "./response-headers.ts";
import { clientDisconnected, createCutError, REDIRECTED, toUpstreamError } from "./upstream-errors.ts";

/** Maximum bytes of a response that is buffered until it is complete, so that an interruption results in a 502. */
const MAX_BUFFERED = 256 * 1024;
const ERROR_BODY = 1024 * 1024;
/** Maximum bytes of a response that is sent as a string. */
const SMALL = 16 * 1024;

type State = "waiting" | "buffering" | "refusing" | "open" | "over";

/** Relays one upstream response to the client at the client's speed. */
export class Relay implements Dispatcher.DispatchHandler, OpenStream {
  lastActivity = performance.now();
  index = -1;
  private readonly onClose = () => this.clientClosed();
  private controller: Dispatcher.DispatchController | undefined;
  private state: State = "waiting";
  private status = 0;
  private headers: IncomingHttpHeaders = {};
  private buffered: Buffer[] = [];
  private bufferedSize = 0;
  /** Chunks that arrived in the current turn of the event loop and are written at its end. */
  private unsent: Buffer[] = [];
  private isPaused = false;
  private watch: ResponseWatch | undefined;
  private filter: StreamFilter | undefined;
  /** Whether buffering must end at the first byte: for an event stream in any content coding, or a live task. */
  private isLive = false;
  /** Whether a response of the kind `model` or `media` is an uncompressed event stream, which can be inspected. */
  private isStream = false;
  private firstByteAt = 0;

  constructor(
    private readonly task: RelayTask,
    private readonly firstByteMs: number,
    private readonly done: (outcome: RelayOutcome) => void,
  ) {
    task.response.on("close", this.onClose);
    // `close` is emitted only once, and the client may have disconnected while the upstream was being chosen.
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
    if (status >= 300 && status < 400 && !(status === 304 && kind === "pass-through"))
      this.rejectResponse(REDIRECTED);
    else if (kind === "verbatim" || (kind === "pass-through" && status < 400)) {
      this.open();
      // Clients that listen for events need the status and headers now: the first event may arrive hours later.
      this.task.response.flushHeaders();
    } else if (status >= 400) this.state = "refusing";
    else if (!isExpected(kind, type)) this.rejectResponse("returned neither JSON nor an event stream");
    else this.buffer(type);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.state === "over") return;
    if (this.isLive && this.state === "buffering") this.open();
    if (this.state === "open") {
      // One read from a fast vendor contains many chunks, which are cheaper to write together.
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

  /** Starts sending a buffered response, and sends a keep-alive if the stream is between two events. */
  onSilence(): void {
    if (this.state === "buffering") this.open();
    const { response, dialect } = this.task;
    const ping = dialect?.ping ?? "";
    if (ping !== "" && this.state === "open" && this.isBetweenEvents() && !response.writableNeedDrain)
      response.write(ping);
  }

  /** Closes an open response, because the proxy stops; first sends an error event if a stream is between two events. */
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
      response.writeHead(this.status, this.getClientHeaders(this.headers["content-length"]));
      this.task.endWith(() => response.end());
      this.finishCompleted({});
      return;
    }
    const problem = problemIn(bytes, kind, coding);
    if (problem !== undefined) {
      this.rejectResponse(problem);
      return;
    }
    response.writeHead(this.status, this.getClientHeaders(bytes.length));
    // Node writes a string body together with the head. Latin-1 preserves every byte.
    if (bytes.length <= SMALL) this.task.endWith(() => response.end(bytes.toString("latin1"), "latin1"));
    else this.task.endWith(() => response.end(bytes));
    this.finishCompleted(
      coding === undefined ? readDetails(bytes, kind, dialect) : { compressed: { bytes, coding } },
    );
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
      this.task.endWith(() => response.end(rest ?? last));
      const watch = this.isLive ? this.watch : undefined;
      this.finishCompleted({ usage: this.watch?.usage(), responseError: watch?.error, watch });
      return;
    }
    if (last) response.write(last);
    if (rest) response.write(rest);
    this.break(createCutError(upstream, this.isStream));
  }

  /**
   * Returns whether the response is complete: an event stream (`isStream`) after its last event, other uncompressed
   * responses of kind `model` after a closing brace or bracket. All other responses count as complete.
   */
  private isComplete(): boolean {
    const watch = this.watch;
    if (this.isStream) return watch?.ended === true;
    return this.task.kind !== "model" || watch === undefined || watch.endsValue;
  }

  private open(): void {
    const { response, dialect } = this.task;
    this.state = "open";
    if (this.headers["content-encoding"] === undefined) this.watch = dialect?.createWatch();
    const isFiltered = this.isStream || (this.task.kind === "pass-through" && this.watch !== undefined);
    if (isFiltered) this.filter = this.task.createFilter?.();
    const length = this.isStream || this.filter !== undefined ? undefined : this.headers["content-length"];
    response.writeHead(this.status, this.getClientHeaders(length));
    this.unsent = this.buffered;
    this.buffered = [];
    this.send();
  }

  private getClientHeaders(length: number | string | undefined): string[] {
    const { ownHeaders, redact, hidesLimits } = this.task;
    const list = clientHeaders(this.headers, ownHeaders, redact, hidesLimits);
    if (length !== undefined) list.push("content-length", String(length));
    if (this.isStream && this.headers["x-accel-buffering"] === undefined)
      list.push("x-accel-buffering", "no");
    return list;
  }

  /** Writes the data that has arrived. Pauses an upstream that sends faster than the client reads. */
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

  /** Closes the connection, or ends a stream that is between two events, with an error event unless it is complete. */
  private break(error: AppError): void {
    const { response, dialect, requestId } = this.task;
    this.send();
    if (!this.isBetweenEvents()) {
      // The data that has arrived is sent, but the body is not ended, so that the client detects the truncation.
      if (response.socket) response.socket.destroySoon();
      else response.destroy();
    } else if (this.watch?.ended) this.task.endWith(() => response.end());
    else this.task.endWith(() => response.end(dialect?.errorEvent(error, requestId)));
    this.finishBroken(error);
  }

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

  private rejectResponse(what: string): void {
    this.fail(new AppError("upstream_invalid", `The upstream ${this.task.upstream} ${what}`));
  }

  private fail(error: AppError): void {
    this.finish({ kind: "failed", error, firstByteAt: this.firstByteAt });
    this.controller?.abort(error);
  }

  private clientClosed(): void {
    if (this.state === "over") return;
    // The usage includes data that arrived in this turn of the event loop, although the client has not received it.
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
