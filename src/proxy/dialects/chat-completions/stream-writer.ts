import type { EncodeContext } from "../../exchange/codec.ts";
import type { PartEvent } from "../../exchange/event.ts";
import type { LossList } from "../../exchange/loss.ts";
import { toMediaUrl } from "../../exchange/media.ts";
import type { Citation, Part, TokenLogprob } from "../../exchange/parts.ts";
import type { Finish } from "../../exchange/response.ts";
import { encodeCitations } from "./citations.ts";
import { betweenThoughts, reportLostImageSignature } from "./encode-response.ts";
import { encodeFinish } from "./finish.ts";
import { googleExtra } from "./google-signatures.ts";
import { encodeLogprobs } from "./logprobs.ts";
import { encodeReasoningDetail } from "./reasoning-details.ts";
import { createCallWriter } from "./stream-call-writer.ts";

interface Open {
  readonly part: Part;
  readonly candidate: number;
  signature: string;
  /** Reasoning text so far, which `reasoning_details` repeats with the signature. */
  thought: string;
  /** Offset of the part in the candidate's content, in characters. */
  readonly offset: number;
  /** Citations so far. They are encoded at the end of the part, because they can arrive before the text. */
  readonly citations: Citation[];
}

/** The members of a message that are lists, except `tool_calls`. They are written once, at the end of the candidate. */
interface Lists {
  readonly reasoning_details?: readonly object[];
  readonly annotations?: readonly object[];
  readonly images?: readonly object[];
}

/** Encodes the parts of a response as deltas. `chunk` wraps the members of a delta in a chunk of its candidate. */
export class PartWriter {
  private readonly open = new Map<number, Open>();
  private readonly calls;
  private readonly refused = new Set<number>();
  /** Candidates with reasoning text. */
  private readonly thoughtful = new Set<number>();
  /** Length of each candidate's content so far, in characters. Citation offsets count from the start of the content. */
  private readonly lengths = new Map<number, number>();
  private readonly lists = new Map<number, Lists>();

  constructor(
    context: EncodeContext,
    private readonly list: LossList,
    private readonly chunk: (candidate: number, delta: string, logprobs?: string) => string,
  ) {
    this.calls = createCallWriter(context);
  }

  push(event: PartEvent): string {
    switch (event.type) {
      case "part-start":
        return this.start(event.index, event.candidate ?? 0, event.part);
      case "part-whole":
        return this.whole(event.index, event.candidate ?? 0, event.part);
      case "text-delta":
        return this.encodeDelta(event.index, event.text, event.logprobs);
      case "arguments-delta":
        return this.callDelta(this.getCandidate(event.index), this.calls.add(event.index, event.text));
      case "signature-delta": {
        const open = this.open.get(event.index);
        if (open !== undefined) open.signature += event.signature;
        return "";
      }
      case "citation":
        this.open.get(event.index)?.citations.push(event.citation);
        return "";
      case "part-end":
        return this.end(event.index, event.part);
    }
  }

  /** Returns the `finish_reason` of a candidate, which depends on its parts. */
  getFinishReason(candidate: number, finish: Finish): string {
    const calls = this.calls.count(candidate) > 0;
    return encodeFinish(finish, { calls, refusal: this.refused.has(candidate) });
  }

  /**
   * Returns a chunk with the complete lists of a candidate; empty if there are none. openai-python merges the lists of
   * several deltas by the `index` of each entry, and openai-node keeps the last list only.
   */
  createListsChunk(candidate: number): string {
    const lists = this.lists.get(candidate);
    if (lists === undefined) return "";
    const members = Object.entries(lists).map(([name, entries]: [string, readonly object[]]) => {
      const numbered = entries.map((entry, index) => ({ index, ...entry }));
      return `${JSON.stringify(name)}:${JSON.stringify(numbered)}`;
    });
    return this.chunk(candidate, members.join(","));
  }

  private keep(candidate: number, name: keyof Lists, entries: readonly object[]): void {
    if (entries.length === 0) return;
    const lists = this.lists.get(candidate) ?? {};
    this.lists.set(candidate, { ...lists, [name]: [...(lists[name] ?? []), ...entries] });
  }

  private getCandidate(index: number): number {
    return this.open.get(index)?.candidate ?? 0;
  }

  private start(index: number, candidate: number, part: Part): string {
    const signature = part.type === "reasoning" || part.type === "text" ? (part.signature ?? "") : "";
    const offset = this.lengths.get(candidate) ?? 0;
    this.open.set(index, { part, candidate, signature, thought: "", offset, citations: [] });
    return part.type === "tool-call"
      ? this.callDelta(candidate, this.calls.start(index, candidate, part))
      : "";
  }

  private encodeDelta(index: number, text: string, logprobs?: readonly TokenLogprob[]): string {
    const open = this.open.get(index);
    if (open === undefined || text === "") return "";
    const { part, candidate } = open;
    const json = JSON.stringify(text);
    if (part.type === "reasoning") {
      const isNext = open.thought === "" && this.thoughtful.has(candidate);
      open.thought += text;
      if (part.redacted === true) return "";
      this.thoughtful.add(candidate);
      const value = isNext ? JSON.stringify(betweenThoughts + text) : json;
      return this.chunk(candidate, `"reasoning_content":${value}`);
    }
    if (part.type === "refusal") {
      this.refused.add(candidate);
      return this.chunk(candidate, `"refusal":${json}`);
    }
    this.lengths.set(candidate, (this.lengths.get(candidate) ?? 0) + text.length);
    const value = logprobs === undefined ? "null" : JSON.stringify(encodeLogprobs(logprobs));
    return this.chunk(candidate, `"content":${json}`, value);
  }

  private cite({ candidate, offset, citations }: Open): void {
    const length = (this.lengths.get(candidate) ?? 0) - offset;
    this.keep(candidate, "annotations", encodeCitations(citations, { offset, length }, this.list));
  }

  private signText({ candidate, signature }: Open): string {
    if (signature === "") return "";
    return this.chunk(candidate, JSON.stringify(googleExtra(signature)).slice(1, -1));
  }

  private end(index: number, whole: Part | undefined): string {
    const open = this.open.get(index);
    this.open.delete(index);
    if (open === undefined) return "";
    const { part, candidate } = open;
    if (part.type === "tool-call") return this.callDelta(candidate, this.calls.end(index));
    if (part.type === "text") {
      this.cite(open);
      return this.signText(open);
    }
    const signature = open.signature || (whole?.type === "reasoning" ? (whole.signature ?? "") : "");
    if (part.type !== "reasoning" || signature === "") return "";
    const detail = encodeReasoningDetail({ ...part, text: open.thought, signature });
    if (detail !== undefined) this.keep(candidate, "reasoning_details", [detail]);
    return "";
  }

  private whole(index: number, candidate: number, part: Part): string {
    switch (part.type) {
      case "text":
      case "refusal":
      case "reasoning": {
        const { logprobs, citations } = part.type === "text" ? part : {};
        const chunks = this.start(index, candidate, part) + this.encodeDelta(index, part.text, logprobs);
        this.open.get(index)?.citations.push(...(citations ?? []));
        return chunks + this.end(index, undefined);
      }
      case "tool-call": {
        const deltas = [
          this.calls.start(index, candidate, part),
          this.calls.add(index, part.arguments),
          this.calls.end(index),
        ];
        return deltas.map((delta) => this.callDelta(candidate, delta)).join("");
      }
      case "image": {
        const url = toMediaUrl(part.source);
        if (url === undefined) break;
        if (part.signature !== undefined) reportLostImageSignature(this.list);
        this.keep(candidate, "images", [{ type: "image_url", image_url: { url } }]);
        return "";
      }
    }
    this.list.add(
      `answer-${part.type}`,
      `Part of type ${part.type} dropped from the response: the dialect has no equivalent.`,
    );
    return "";
  }

  private callDelta(candidate: number, delta: string): string {
    return delta === "" ? "" : this.chunk(candidate, `"tool_calls":[${delta}]`);
  }
}
