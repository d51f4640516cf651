import { keepAliveComment, serializeEvent } from "../../../sse/serialize.ts";
import type { EncodeContext, StreamEncoder } from "../../exchange/codec.ts";
import type { ExchangeEvent } from "../../exchange/event.ts";
import { createLossList, type Loss } from "../../exchange/loss.ts";
import type { Part } from "../../exchange/parts.ts";
import type { Usage } from "../../exchange/response.ts";
import { mergeUsage } from "../../exchange/usage.ts";
import { endOfChunks } from "../shared/openai-stream-end.ts";
import { completionId, encodeFinish, encodeUsage } from "./encode-response.ts";
import { encodeError } from "./errors.ts";

/** Writes text as it comes, one `finish_reason` per candidate, usage where it was asked for, and `[DONE]`. */
class CompletionsStreamEncoder implements StreamEncoder {
  private readonly list = createLossList();
  /** Candidates of the open parts that are text. */
  private readonly texts = new Map<number, number>();
  private head = "";
  private usage: Usage | undefined;
  private ended = false;

  constructor(private readonly context: EncodeContext) {}

  get losses(): readonly Loss[] {
    return this.list.losses;
  }

  push(event: ExchangeEvent): string {
    if (this.ended) return "";
    switch (event.type) {
      case "start":
        this.usage = event.usage;
        this.start(event.id, event.created);
        return "";
      case "part-start":
        if (this.isText(event.part.type)) this.texts.set(event.index, event.candidate ?? 0);
        return "";
      case "text-delta":
        return this.texts.has(event.index)
          ? this.chunk(this.texts.get(event.index) ?? 0, event.text, null)
          : "";
      case "part-whole":
        if (event.part.type !== "text" && event.part.type !== "refusal") return this.lose(event.part.type);
        if (event.part.type === "text" && event.part.citations !== undefined) this.loseCitation();
        return this.chunk(event.candidate ?? 0, event.part.text, null);
      case "citation":
        return this.loseCitation();
      case "usage":
        this.usage = mergeUsage(this.usage, event.usage);
        return "";
      case "finish":
        return this.chunk(event.candidate ?? 0, "", encodeFinish(event.finish));
      case "end":
        this.usage = mergeUsage(this.usage, event.usage);
        return this.end();
      case "error":
        this.ended = true;
        return serializeEvent(JSON.stringify(encodeError(event.error).body));
      case "ping":
        return keepAliveComment;
      default:
        return "";
    }
  }

  private start(id: string | undefined, created: number | undefined): void {
    const fields = {
      id: completionId(id, this.context),
      object: "text_completion",
      created: created ?? Math.floor(this.context.now / 1000),
      model: this.context.model,
    };
    this.head = `data: ${JSON.stringify(fields).slice(0, -1)},`;
  }

  private isText(type: Part["type"]): boolean {
    if (type === "text" || type === "refusal") return true;
    this.lose(type);
    return false;
  }

  private lose(type: Part["type"]): string {
    this.list.add(`answer-${type}`, `A ${type} in the answer has no place in this dialect.`);
    return "";
  }

  private loseCitation(): string {
    this.list.add("answer-citation", "Citations have no place in this dialect.");
    return "";
  }

  private chunk(candidate: number, text: string, finish: string | null): string {
    const reason = JSON.stringify(finish);
    return `${this.head}"choices":[{"text":${JSON.stringify(text)},"index":${candidate},"logprobs":null,"finish_reason":${reason}}]}\n\n`;
  }

  private end(): string {
    this.ended = true;
    const wanted = this.context.request.streamUsage === true ? this.usage : undefined;
    return endOfChunks(this.head, wanted && encodeUsage(wanted));
  }
}

/** An encoder for one stream. */
export function createStreamEncoder(context: EncodeContext): StreamEncoder {
  return new CompletionsStreamEncoder(context);
}
