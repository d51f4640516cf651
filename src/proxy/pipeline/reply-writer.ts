import { getProfile } from "../dialects/index.ts";
import type { ReplyWriter } from "../translate/translate-call.ts";
import type { OpenStream } from "../upstream/open-streams.ts";
import type { ResponseSample } from "../upstream/relay-task.ts";
import type { Departure } from "../upstream/send.ts";
import { forgetUnasked } from "./attempt-record.ts";
import { type Call, ownHeaders } from "./call.ts";

/** Characters of an answer that are kept for an estimate. */
const SAMPLE = 16 * 1024;

/**
 * The answer of a call as the translator writes it: head, text at the client's speed, keep-alives in silence. It is also
 * what tells an upstream call that nobody waits for it any more: an `AbortController` would cost as much as the
 * translation of a small body.
 */
export class CallReply implements ReplyWriter, Departure, OpenStream {
  /** The client left, or the call is over. */
  aborted = false;
  /** Whether the client left before it had its answer. */
  left = false;
  lastActivity = performance.now();
  place = -1;
  private readonly call: Call;
  private readonly waiting = new Set<() => void>();
  private ping = "";
  private firstText = "";
  private writtenLength = 0;
  private readonly onClose = () => {
    if (this.call.response.writableFinished) return;
    this.left = true;
    this.depart();
  };

  constructor(call: Call) {
    this.call = call;
    call.response.once("close", this.onClose);
    call.services.streams.add(this);
    // That it has left is told once, and may have been while the upstream was chosen.
    if (call.response.destroyed) this.onClose();
  }

  get started(): boolean {
    return this.call.response.headersSent;
  }

  addEventListener(_type: "abort", listener: () => void): void {
    this.waiting.add(listener);
  }

  removeEventListener(_type: "abort", listener: () => void): void {
    this.waiting.delete(listener);
  }

  start(status: number, headers: Readonly<Record<string, string>>): void {
    this.call.response.writeHead(status, this.head(status, headers));
  }

  answer(status: number, headers: Readonly<Record<string, string>>, text: string): void {
    if (status >= 400) forgetUnasked(this.call);
    const head = this.head(status, headers);
    head.push("content-length", String(Buffer.byteLength(text)));
    this.call.response.writeHead(status, head);
    this.call.services.streams.delete(this);
    this.call.response.end(text);
  }

  write(text: string | Buffer): Promise<void> | undefined {
    const { response } = this.call;
    this.sample(text);
    this.lastActivity = performance.now();
    if (text.length === 0 || response.write(text) || response.destroyed) return undefined;
    return new Promise((resolve) => {
      const done = () => {
        response.off("drain", done);
        response.off("close", done);
        resolve();
      };
      response.once("drain", done);
      response.once("close", done);
    });
  }

  keepAlive(text: string): void {
    this.ping = text;
  }

  end(): void {
    this.call.services.streams.delete(this);
    this.call.response.end();
  }

  destroy(): void {
    this.call.services.streams.delete(this);
    this.call.response.destroy();
  }

  /** The call is over: an upstream that still sends is left. */
  release(): void {
    const { response, services } = this.call;
    services.streams.delete(this);
    if (response.writableEnded) response.off("close", this.onClose);
    this.depart();
  }

  onStop(): void {
    this.call.response.destroy();
  }

  onSilence(): void {
    const { response } = this.call;
    if (this.ping !== "" && response.headersSent && !response.writableEnded) response.write(this.ping);
  }

  /** What was written, for an estimate where the client leaves before the vendor has counted. */
  get written(): ResponseSample {
    return { text: this.firstText, total: this.writtenLength };
  }

  private sample(text: string | Buffer): void {
    this.writtenLength += text.length;
    if (this.firstText.length < SAMPLE) this.firstText += text.toString();
  }

  private head(status: number, headers: Readonly<Record<string, string>>): string[] {
    const call = this.call;
    call.status = status;
    if (call.firstByteAt === 0) call.firstByteAt = performance.now();
    const head = ownHeaders(call);
    const { requestIdHeader } = getProfile(call.dialect).client;
    if (requestIdHeader !== undefined) head.push(requestIdHeader, call.id);
    head.push("x-content-type-options", "nosniff");
    for (const name in headers) head.push(name, headers[name] ?? "");
    return head;
  }

  private depart(): void {
    this.aborted = true;
    for (const leave of [...this.waiting]) leave();
  }
}
