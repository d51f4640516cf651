import type { OpenPart } from "../../exchange/event.ts";
import { isObject } from "../../exchange/json.ts";
import { toMediaSource } from "../../exchange/media.ts";
import type { Citation, TokenLogprob } from "../../exchange/parts.ts";
import { decodeCitations } from "./citations.ts";
import { getThought } from "./decode-content.ts";
import type { ChatStream } from "./decode-stream.ts";
import { decodeFinish } from "./finish.ts";
import { googleSignature } from "./google-signatures.ts";
import { decodeLogprobs } from "./logprobs.ts";
import { getSignature, getText, isEncrypted } from "./reasoning-details.ts";
import type { WireDelta, WirePart, WireResponseMessage } from "./schema.ts";
import { StreamCalls } from "./stream-call-reader.ts";

/** Decodes the deltas of one candidate and emits events to the stream. */
export class StreamCandidate {
  private readonly calls: StreamCalls;
  private open: { readonly type: string; readonly index: number } | undefined;
  /** Decoded audio fragments. Upstreams encode each fragment in base64 separately. */
  private readonly audio: Buffer[] = [];
  private audioType = "audio/pcm";
  private cited = false;
  private refused = false;
  private hasDelta = false;
  private finishReason: string | undefined;

  constructor(
    private readonly candidate: number,
    private readonly stream: ChatStream,
  ) {
    this.calls = new StreamCalls(candidate, stream);
  }

  /** Whether `finish_reason` has arrived. Some upstreams send more of the candidate after it. */
  get finished(): boolean {
    return this.finishReason !== undefined;
  }

  /** Returns whether the text of this part is read: the arguments of a tool call without an id. */
  readsText(index: number): boolean {
    return this.calls.readsText(index);
  }

  take({ delta, message, finish_reason: reason, logprobs }: WireDelta): void {
    if (delta) this.takeDelta(delta, decodeLogprobs(logprobs));
    // A server that cannot stream sends the whole message in one chunk. Others repeat the message after its deltas.
    else if (message && reason && !this.hasDelta) this.takeDelta(message, decodeLogprobs(logprobs));
    this.hasDelta ||= delta != null;
    if (reason) this.finishReason = reason;
  }

  /**
   * Ends all parts and emits the finish event. `pages` are the pages that the response cites as a whole; they are
   * attached to the open text if the candidate has no annotations.
   */
  close(pages: readonly Citation[]): void {
    if (!this.cited && this.open?.type === "text") this.cite(pages);
    this.closePart();
    this.speak();
    this.calls.close();
    const finish = decodeFinish(this.finishReason ?? "stop", {
      calls: this.calls.any,
      refusal: this.refused,
    });
    this.stream.emit({ type: "finish", ...this.which(), finish });
  }

  private takeDelta(delta: WireResponseMessage, logprobs: readonly TokenLogprob[] | undefined): void {
    this.think(delta);
    if (typeof delta.content === "string") this.append(emptyText, delta.content, logprobs);
    else for (const part of delta.content ?? []) this.takePart(part, logprobs);
    const signature = googleSignature(delta.extra_content);
    if (signature !== undefined)
      this.stream.emit({ type: "signature-delta", index: this.within(emptyText), signature });
    if (delta.annotations) this.cite(decodeCitations(delta.annotations));
    if (delta.refusal) {
      this.refused = true;
      this.append(emptyRefusal, delta.refusal);
    }
    if (delta.audio) this.hear(delta.audio);
    if (delta.images) this.show(delta.images);
    if (delta.tool_calls?.length || delta.function_call) this.closePart();
    for (const call of delta.tool_calls ?? []) this.calls.take(call);
    if (delta.function_call) this.calls.take({ function: delta.function_call, extra_content: undefined });
  }

  /** Decodes an element of `content`, which Mistral's reasoning models send as a list. */
  private takePart(part: WirePart, logprobs: readonly TokenLogprob[] | undefined): void {
    if (part.type === "thinking") this.append(thinking, getThought(part));
    else if (typeof part["text"] === "string") this.append(emptyText, part["text"], logprobs);
    else {
      this.closePart();
      const unknown = { type: "unknown", origin: { dialect: "chat-completions", raw: part } } as const;
      this.stream.emit({
        type: "part-whole",
        index: this.stream.nextIndex(),
        ...this.which(),
        part: unknown,
      });
    }
  }

  private think(delta: WireResponseMessage): void {
    const plain =
      delta.reasoning_content ?? (typeof delta.reasoning === "string" ? delta.reasoning : undefined);
    const details = (delta.reasoning_details ?? none).filter(isObject);
    if (plain) this.append(thinking, plain);
    else if (plain === undefined && details.length > 0) this.append(thinking, details.map(getText).join(""));
    for (const detail of details) this.sign(detail);
  }

  /**
   * Emits the signature of a `reasoning_details` entry and ends the reasoning part. An encrypted entry becomes a part
   * without text. Ignores an entry without a signature of this dialect.
   */
  private sign(detail: Readonly<Record<string, unknown>>): void {
    const opened = getSignature(detail);
    if (opened?.vendor !== "chat-completions") return;
    const { signature } = opened;
    if (!isEncrypted(detail)) {
      this.stream.emit({ type: "signature-delta", index: this.within(thinking), signature });
      this.closePart();
      return;
    }
    this.closePart();
    const part = { ...thinking, redacted: true, signature };
    this.stream.emit({ type: "part-whole", index: this.stream.nextIndex(), ...this.which(), part });
  }

  private cite(citations: readonly Citation[]): void {
    for (const citation of citations) {
      this.cited = true;
      this.stream.emit({ type: "citation", index: this.within(emptyText), citation });
    }
  }

  private show(images: NonNullable<WireResponseMessage["images"]>): void {
    for (const image of images) {
      const url = isObject(image["image_url"]) ? image["image_url"]["url"] : undefined;
      if (typeof url !== "string") continue;
      this.closePart();
      const part = { type: "image", source: toMediaSource(url) } as const;
      this.stream.emit({ type: "part-whole", index: this.stream.nextIndex(), ...this.which(), part });
    }
  }

  /** Collects audio, which is emitted as one part at the end. Emits the transcript of the audio as it arrives. */
  private hear({ data, format, transcript }: NonNullable<WireResponseMessage["audio"]>): void {
    if (data) this.audio.push(Buffer.from(data, "base64"));
    if (format) this.audioType = `audio/${format}`;
    if (transcript) this.append(emptyText, transcript);
  }

  private speak(): void {
    if (this.audio.length === 0) return;
    const data = Buffer.concat(this.audio).toString("base64");
    const part = { type: "audio", source: { kind: "base64", mediaType: this.audioType, data } } as const;
    this.stream.emit({ type: "part-whole", index: this.stream.nextIndex(), ...this.which(), part });
  }

  private append(part: OpenPart, text: string, logprobs?: readonly TokenLogprob[]): void {
    if (text === "") return;
    const index = this.within(part);
    this.stream.emit(
      logprobs === undefined
        ? { type: "text-delta", index, text }
        : { type: "text-delta", index, text, logprobs },
    );
  }

  /** Returns the index of the open part if it has the type of `part`; otherwise ends it and starts `part`. */
  private within(part: OpenPart): number {
    if (this.open?.type === part.type) return this.open.index;
    this.closePart();
    this.open = { type: part.type, index: this.stream.nextIndex() };
    this.stream.emit({ type: "part-start", index: this.open.index, ...this.which(), part });
    return this.open.index;
  }

  private closePart(): void {
    if (this.open !== undefined) this.stream.emit({ type: "part-end", index: this.open.index });
    this.open = undefined;
  }

  private which(): { readonly candidate?: number } {
    return this.candidate > 0 ? { candidate: this.candidate } : {};
  }
}

const none: readonly unknown[] = [];
const thinking: OpenPart = { type: "reasoning", text: "", vendor: "chat-completions" };
const emptyText: OpenPart = { type: "text", text: "" };
const emptyRefusal: OpenPart = { type: "refusal", text: "" };
