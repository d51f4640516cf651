import { serializeLine } from "../../../sse/serialize.ts";
import type { EncodeContext, StreamEncoder } from "../../exchange/codec.ts";
import type { PartEvent } from "../../exchange/event.ts";
import type { Finish, Usage } from "../../exchange/response.ts";
import { ChunkStreamEncoder } from "../shared/chunk-stream.ts";
import { openAiServiceTier } from "../shared/openai-service-tier.ts";
import { completionId } from "./encode-response.ts";
import { PartWriter } from "./stream-writer.ts";
import { encodeUsage } from "./usage.ts";

/** Encodes a stream of chunks with deltas. The first delta of each candidate contains `role`. */
class ChatStreamEncoder extends ChunkStreamEncoder {
  /** Candidates whose role has been written. */
  private readonly spoken = new Set<number>();
  private readonly parts = new PartWriter(this.context, this.list, (candidate, delta, logprobs) =>
    this.chunk(candidate, delta, "null", logprobs),
  );
  protected readonly counts = encodeUsage;

  protected identity(id: string | undefined) {
    return { id: completionId(id, this.context), object: "chat.completion.chunk" };
  }

  protected override members(usage: Usage): string {
    const tier = openAiServiceTier(usage);
    return tier === undefined ? "" : `"service_tier":"${tier}",`;
  }

  protected begin(): string {
    return this.chunk(0, `"content":""`, "null");
  }

  protected encodePart(event: PartEvent): string {
    return this.parts.push(event);
  }

  protected finish(candidate: number, finish: Finish): string {
    const reason = JSON.stringify(this.parts.getFinishReason(candidate, finish));
    return this.parts.createListsChunk(candidate) + this.chunk(candidate, "", reason);
  }

  /**
   * Returns a chunk. `delta` contains the members of the delta as JSON text without braces; `finish` and `logprobs`
   * are JSON values.
   */
  private chunk(candidate: number, delta: string, finish: string, logprobs = "null"): string {
    const role = this.spoken.has(candidate) ? "" : `"role":"assistant"${delta === "" ? "" : ","}`;
    this.spoken.add(candidate);
    return serializeLine(
      `${this.head}"choices":[{"index":${candidate},"delta":{${role}${delta}},"logprobs":${logprobs},"finish_reason":${finish}}]}`,
    );
  }
}

/** Creates an encoder for one stream. */
export function createStreamEncoder(context: EncodeContext): StreamEncoder {
  return new ChatStreamEncoder(context);
}
