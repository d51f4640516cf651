import type { Capabilities } from "../../exchange/capabilities.ts";
import type { UpstreamCall } from "../../exchange/codec.ts";
import { defined } from "../../exchange/defined.ts";
import { type Converted, createLossList, type LossList } from "../../exchange/loss.ts";
import type { ExchangeRequest } from "../../exchange/request.ts";
import { encodeStopSequences } from "../shared/encode-stop-sequences.ts";
import { addCacheHints, addForeignExtensions } from "../shared/losses.ts";

/** Encodes a call of `/completions`, with all texts joined into one prompt. */
export function encodeRequest(request: ExchangeRequest, capabilities: Capabilities): Converted<UpstreamCall> {
  const list = createLossList();
  addForeignExtensions(request, "completions", list);
  addCacheHints(request, list);
  if (request.tools.length > 0) list.add("tools", "Tools dropped: the dialect does not support them.");
  if (request.output !== undefined && request.output.type !== "text") {
    list.add("structured-output", "Response format dropped: the dialect has no equivalent.");
  }
  const { sampling } = request;
  const body = defined({
    model: request.model,
    prompt: encodePrompt(request, list),
    max_tokens: sampling.maxOutputTokens,
    temperature: sampling.temperature,
    top_p: sampling.topP,
    stop: encodeStopSequences(sampling.stop, capabilities, list),
    seed: sampling.seed,
    frequency_penalty: sampling.frequencyPenalty,
    presence_penalty: sampling.presencePenalty,
    n: sampling.candidates,
    logit_bias: sampling.logitBias,
    user: request.user,
    ...request.extensions.completions,
    ...(request.stream ? { stream: true, stream_options: { include_usage: true } } : {}),
  });
  return { value: { path: "/completions", body }, losses: list.losses };
}

function encodePrompt(request: ExchangeRequest, list: LossList): string {
  const parts = [...request.instructions, ...request.turns.flatMap((turn) => turn.parts)];
  const texts = parts.flatMap((part) => {
    if (part.type === "text") return [part.text];
    list.add(part.type, `Part of type ${part.type} dropped: a prompt contains text only.`);
    return [];
  });
  return texts.join("\n\n");
}
