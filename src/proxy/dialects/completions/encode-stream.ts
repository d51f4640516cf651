import { serializeLine } from "../../../sse/serialize.ts";
import type { EncodeContext, StreamEncoder } from "../../exchange/codec.ts";
import type { PartEvent } from "../../exchange/event.ts";
import type { Part } from "../../exchange/parts.ts";
import type { Finish } from "../../exchange/response.ts";
import { loseTextSignature } from "../../exchange/signature.ts";
import { ChunkStreamEncoder } from "../shared/chunk-stream.ts";
import { completionId, encodeFinish, encodeUsage } from "./encode-response.ts";

/** Encodes a stream of completions. Parts other than texts and refusals are a loss. */
class CompletionsStreamEncoder extends ChunkStreamEncoder {
  /** Candidates by the index of their text part. */
  private readonly texts = new Map<number, number>();
  protected readonly counts = encodeUsage;

  protected identity(id: string | undefined) {
    return { id: completionId(id, this.context), object: "text_completion" };
  }

  protected begin(): string {
    return "";
  }

  protected encodePart(event: PartEvent): string {
    switch (event.type) {
      case "part-start":
        if (this.isText(event.part)) this.texts.set(event.index, event.candidate ?? 0);
        return "";
      case "text-delta": {
        const candidate = this.texts.get(event.index);
        return candidate === undefined ? "" : this.chunk(candidate, event.text, null);
      }
      case "part-whole":
        return this.isText(event.part) ? this.chunk(event.candidate ?? 0, event.part.text, null) : "";
      case "signature-delta":
        if (this.texts.has(event.index)) loseTextSignature(this.list);
        return "";
      case "citation":
        this.loseCitation();
        return "";
      default:
        return "";
    }
  }

  protected finish(candidate: number, finish: Finish): string {
    return this.chunk(candidate, "", encodeFinish(finish));
  }

  private isText(part: Part): part is Extract<Part, { type: "text" | "refusal" }> {
    if (part.type === "text" && part.citations !== undefined) this.loseCitation();
    if (part.type === "text" || part.type === "refusal") return true;
    this.list.add(
      `answer-${part.type}`,
      `Part of type ${part.type} dropped from the response: the dialect has no equivalent.`,
    );
    return false;
  }

  private loseCitation(): void {
    this.list.add("answer-citation", "Citations dropped: the client's dialect has no equivalent.");
  }

  private chunk(candidate: number, text: string, finish: string | null): string {
    const reason = JSON.stringify(finish);
    return serializeLine(
      `${this.head}"choices":[{"text":${JSON.stringify(text)},"index":${candidate},"logprobs":null,"finish_reason":${reason}}]}`,
    );
  }
}

/** Creates an encoder for one stream. */
export function createStreamEncoder(context: EncodeContext): StreamEncoder {
  return new CompletionsStreamEncoder(context);
}
