import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import { AppError } from "../../errors.ts";
import { isEventStream, isExpected, mistakeIn, withoutIdentity } from "./response-checks.ts";
import { clientGone, streamCut, upstreamFault } from "./upstream-errors.ts";
import { limitInterim } from "./limit-wait.ts";
import type { OpenStream } from "./open-streams.ts";
import type { AnswerDetails, RelayOutcome, RelayTask, ResponseWatch, StreamFilter } from "./relay-task.ts";
import { clientHeaders } from "./response-headers.ts";

/** Answers up to this size are held until they are whole, so that one that breaks off is a clean 502. */
const HELD = 256 * 1024;
const ERROR_BODY = 1024 * 1024;
/** Bytes of a response that is sent as a string. */
const SMALL = 16 * 1024;

type State = "waiting" | "holding" | "refusing" | "open" | "over";

/** Carries one upstream answer to the client, byte for byte, at the client's speed. */
export class Relay implements Dispatcher.DispatchHandler, OpenStream {
  lastActivity = performance.now();
  place = -1;
  private readonly onClose = () => this.clientClosed();
  private controller: Dispatcher.DispatchController | undefined;
  private state: State = "waiting";
  private status = 0;
  private headers: IncomingHttpHeaders = {};
  private held: Buffer[] = [];
  private heldSize = 0;
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
    if (this.state === "over") controller.abort(clientGone());
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
    else this.hold(type);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.state === "over") return;
    if (this.isLive && this.state === "holding") this.open();
    if (this.state === "open") {
      // One read brings many events of a quick vendor. Each written by itself would cost as much as all of them.
      if (this.unsent.push(chunk) === 1) process.nextTick(Relay.endTurn, this);
      return;
    }
    this.lastActivity = performance.now();
    this.heldSize += chunk.length;
    if (this.state === "holding" || this.heldSize <= ERROR_BODY) this.held.push(chunk);
    if (this.state === "holding" && this.heldSize > HELD) this.open();
  }

  onResponseEnd(): void {
    if (this.state === "holding") this.endHeld();
    else if (this.state === "refusing") this.endRefusal();
    else if (this.state === "open") this.endOpen();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.state === "over") return;
    const fault = upstreamFault(error, this.task.upstream, this.firstByteAt > 0);
    if (this.state === "open") this.break(fault);
    else this.finish({ kind: "failed", fault, firstByteAt: this.firstByteAt });
  }

  onWaitOver(error: AppError): void {
    if (this.state === "waiting") this.fail(error);
  }

  /** What is held is let go, and a stream that stands between events gets a ping. */
  onSilence(): void {
    if (this.state === "holding") this.open();
    const { response, dialect } = this.task;
    const ping = dialect?.ping ?? "";
    if (ping !== "" && this.state === "open" && this.isBetweenEvents() && !response.writableNeedDrain)
      response.write(ping);
  }

  /** Says that it is over, and breaks the connection: this is no end that the upstream has put. */
  onStop(): void {
    if (this.state !== "open") return;
    const fault = new AppError("overloaded", "The proxy is stopping");
    const { response, dialect, requestId } = this.task;
    this.send();
    if (this.isBetweenEvents()) response.write(dialect?.faultEvent(fault, requestId) ?? "");
    this.finishBroken(fault);
    response.destroy();
    this.controller?.abort(fault);
  }

  private hold(type: string): void {
    const isEvents = isEventStream(type);
    this.isLive = isEvents || this.task.isLive;
    this.isStream = isEvents && this.headers["content-encoding"] === undefined;
    this.state = "holding";
    this.task.streams.add(this);
  }

  private endHeld(): void {
    const { response, kind, dialect } = this.task;
    const bytes = this.held.length === 1 && this.held[0] ? this.held[0] : Buffer.concat(this.held);
    const coding = this.headers["content-encoding"];
    if (bytes.length === 0 && this.task.mayBeEmpty) {
      response.writeHead(this.status, this.answerHeaders(this.headers["content-length"]));
      response.end();
      this.finishAnswered({});
      return;
    }
    const mistake = mistakeIn(bytes, kind, coding);
    if (mistake !== undefined) {
      this.refuseAnswer(mistake);
      return;
    }
    response.writeHead(this.status, this.answerHeaders(bytes.length));
    // As text a small body goes out in one piece with the head; Latin-1 keeps every byte.
    if (bytes.length <= SMALL) response.end(bytes.toString("latin1"), "latin1");
    else response.end(bytes);
    if (coding !== undefined) this.finishAnswered({ packed: { bytes, coding } });
    else {
      const error = kind === "model" ? dialect?.errorOf(bytes) : undefined;
      this.finishAnswered({ usage: dialect?.usageOf(bytes), error });
    }
  }

  private endRefusal(): void {
    this.finish({
      kind: "refused",
      status: this.status,
      headers: this.headers,
      body: Buffer.concat(this.held),
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
      this.finishAnswered({ usage: this.watch?.usage(), error: watch?.error, watch });
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
    this.unsent = this.held;
    this.held = [];
    this.send();
  }

  private answerHeaders(length: number | string | undefined): string[] {
    const list = clientHeaders(this.headers, this.task.ownHeaders, this.task.redact);
    if (length !== undefined) list.push("content-length", String(length));
    if (this.isStream && this.headers["x-accel-buffering"] === undefined)
      list.push("x-accel-buffering", "no");
    return list;
  }

  private static endTurn(relay: Relay): void {
    relay.send();
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
  private break(fault: AppError): void {
    const { response, dialect, requestId } = this.task;
    this.send();
    if (!this.isBetweenEvents()) {
      // What has come still goes out; without the body's end, so that nobody takes it for whole.
      if (response.socket) response.socket.destroySoon();
      else response.destroy();
    } else if (this.watch?.ended) response.end();
    else response.end(dialect?.faultEvent(fault, requestId));
    this.finishBroken(fault);
  }

  /** Whether an event of ours can be put into the answer here. */
  private isBetweenEvents(): boolean {
    return this.isStream && this.watch?.betweenEvents === true;
  }

  private finishAnswered({ usage, error, watch, packed }: AnswerDetails): void {
    const { status, firstByteAt } = this;
    this.finish({ kind: "answered", status, firstByteAt, usage, error, watch, packed });
  }

  private finishBroken(fault: AppError): void {
    const { status, firstByteAt, watch } = this;
    this.finish({ kind: "broken", status, fault, firstByteAt, watch });
  }

  private refuseAnswer(what: string): void {
    this.fail(new AppError("upstream_invalid", `The upstream ${this.task.upstream} ${what}`));
  }

  private fail(fault: AppError): void {
    this.finish({ kind: "failed", fault, firstByteAt: this.firstByteAt });
    this.controller?.abort(fault);
  }

  private clientClosed(): void {
    if (this.state === "over") return;
    // What came in this turn was said, though nobody took it.
    this.takeUnsent();
    this.finish({ kind: "gone", firstByteAt: this.firstByteAt, watch: this.watch });
    this.controller?.abort(clientGone());
  }

  private finish(outcome: RelayOutcome): void {
    this.state = "over";
    this.task.response.off("close", this.onClose);
    this.task.streams.delete(this);
    this.held = [];
    this.unsent = [];
    this.done(outcome);
  }
}
