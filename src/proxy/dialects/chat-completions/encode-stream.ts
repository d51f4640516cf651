import { keepAliveComment, serializeEvent } from "../../../sse/serialize.ts";
import type { EncodeContext, StreamEncoder } from "../../exchange/codec.ts";
import type { ExchangeEvent } from "../../exchange/event.ts";
import { createLossList, type Loss } from "../../exchange/loss.ts";
import type { Usage } from "../../exchange/response.ts";
import { mergeUsage } from "../../exchange/usage.ts";
import { endOfChunks } from "../shared/openai-stream-end.ts";
import { completionId } from "./encode-response.ts";
import { encodeError } from "./errors.ts";
import { PartWriter } from "./stream-part-writer.ts";
import { encodeUsage } from "./usage.ts";

/**
 * Writes chunks: the role first, deltas as they come, one `finish_reason` per candidate, usage where the client asked
 * for it, `[DONE]`; or an error object and nothing more.
 */
class ChatStreamEncoder implements StreamEncoder {
  private readonly list = createLossList();
  private readonly parts: PartWriter;
  /** Candidates whose role has been told. */
  private readonly spoken = new Set<number>();
  /** What every chunk begins with. */
  private head = "";
  private usage: Usage | undefined;
  private ended = false;

  constructor(private readonly context: EncodeContext) {
    this.parts = new PartWriter(context, this.list, (candidate, delta, logprobs) =>
      this.chunk(candidate, delta, "null", logprobs),
    );
  }

  get losses(): readonly Loss[] {
    return this.list.losses;
  }

  push(event: ExchangeEvent): string {
    if (this.ended) return "";
    switch (event.type) {
      case "start":
        this.usage = mergeUsage(this.usage, event.usage);
        return this.start(event.id, event.created);
      case "usage":
        this.usage = mergeUsage(this.usage, event.usage);
        return "";
      case "finish": {
        const candidate = event.candidate ?? 0;
        return this.chunk(candidate, "", JSON.stringify(this.parts.finishOf(candidate, event.finish)));
      }
      case "end":
        this.usage = mergeUsage(this.usage, event.usage);
        return this.end();
      case "error":
        this.ended = true;
        return serializeEvent(JSON.stringify(encodeError(event.error).body));
      case "ping":
        return keepAliveComment;
      default:
        return this.parts.push(event);
    }
  }

  private start(id: string | undefined, created: number | undefined): string {
    const fields = {
      id: completionId(id, this.context),
      object: "chat.completion.chunk",
      created: created ?? Math.floor(this.context.now / 1000),
      model: this.context.model,
    };
    this.head = `data: ${JSON.stringify(fields).slice(0, -1)},`;
    return this.chunk(0, `"content":""`, "null");
  }

  /** `delta` is the members of the delta as JSON text, `finish` and `logprobs` are JSON values. */
  private chunk(candidate: number, delta: string, finish: string, logprobs = "null"): string {
    const role = this.spoken.has(candidate) ? "" : `"role":"assistant"${delta === "" ? "" : ","}`;
    this.spoken.add(candidate);
    return `${this.head}"choices":[{"index":${candidate},"delta":{${role}${delta}},"logprobs":${logprobs},"finish_reason":${finish}}]}\n\n`;
  }

  private end(): string {
    this.ended = true;
    const wanted = this.context.request.streamUsage === true ? this.usage : undefined;
    return endOfChunks(this.head, wanted && encodeUsage(wanted));
  }
}

/** An encoder for one stream. */
export function createStreamEncoder(context: EncodeContext): StreamEncoder {
  return new ChatStreamEncoder(context);
}
