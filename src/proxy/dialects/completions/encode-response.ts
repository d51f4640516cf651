import type { EncodeContext } from "../../exchange/codec.ts";
import { defined } from "../../exchange/defined.ts";
import { type Converted, createLossList, type LossList } from "../../exchange/loss.ts";
import type { Part } from "../../exchange/parts.ts";
import type { ExchangeResponse, Finish, Usage } from "../../exchange/response.ts";
import { loseTextSignature } from "../../exchange/signature.ts";

/** Returns a response id with the prefix `cmpl-`, which clients of this dialect expect. */
export function completionId(id: string | undefined, context: EncodeContext): string {
  if (id === undefined || id === "") return `cmpl-${context.fallbackId}`;
  return id.startsWith("cmpl-") ? id : `cmpl-${id}`;
}

/** Encodes a complete response. Parts other than texts and refusals are a loss. */
export function encodeResponse(response: ExchangeResponse, context: EncodeContext): Converted<unknown> {
  const list = createLossList();
  const value = defined({
    id: completionId(response.id, context),
    object: "text_completion",
    created: response.created ?? Math.floor(context.now / 1000),
    model: response.model ?? context.model,
    choices: response.candidates.map(({ parts, finish }, index) => ({
      text: parts.map((part) => toText(part, list)).join(""),
      index,
      logprobs: null,
      finish_reason: encodeFinish(finish),
    })),
    usage: response.usage === undefined ? undefined : encodeUsage(response.usage),
  });
  return { value, losses: list.losses };
}

function toText(part: Part, list: LossList): string {
  if (part.type === "text" && part.citations !== undefined) {
    list.add("answer-citation", "Citations dropped: the client's dialect has no equivalent.");
  }
  if (part.type === "text" && part.signature !== undefined) loseTextSignature(list);
  if (part.type === "text" || part.type === "refusal") return part.text;
  list.add(
    `answer-${part.type}`,
    `Part of type ${part.type} dropped from the response: the dialect has no equivalent.`,
  );
  return "";
}

/** Encodes the finish reason as `finish_reason`. */
export function encodeFinish(finish: Finish): string {
  if (["length", "context-overflow", "pause"].includes(finish.unified)) return "length";
  return finish.unified === "content-filter" || finish.unified === "refusal" ? "content_filter" : "stop";
}

/** Encodes the token counts. The dialect requires all counts, so a count that the upstream did not report is 0. */
export function encodeUsage(usage: Usage): Readonly<Record<string, number>> {
  const prompt = usage.input.total ?? 0;
  const completion = usage.output.total ?? 0;
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}
