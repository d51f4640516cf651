import type { EncodeContext } from "../../exchange/codec.ts";
import { type Converted, createLossList } from "../../exchange/loss.ts";
import type { ExchangeResponse } from "../../exchange/response.ts";
import { detachCallSignatures } from "../../exchange/signature.ts";
import { mapInSteps, type Steps } from "../../exchange/steps.ts";
import { encodeResponsePart } from "./encode-response-part.ts";
import { encodeFinish } from "./finish.ts";
import { encodeUsage } from "./usage.ts";

/** Returns a response id with the prefix `msg_`, which clients of this dialect expect. */
export function messageId(id: string | undefined, context: EncodeContext): string {
  if (id === undefined || id === "") return `msg_${context.fallbackId}`;
  return id.startsWith("msg_") ? id : `msg_${id}`;
}

/** Encodes a complete response. The dialect has one candidate, so further candidates are a loss. */
export function* encodeResponse(
  response: ExchangeResponse,
  context: EncodeContext,
): Steps<Converted<unknown>> {
  const list = createLossList();
  const [candidate] = response.candidates;
  if (response.candidates.length > 1)
    list.add("candidates", "Candidates after the first dropped: the dialect has only one.");
  const parts = detachCallSignatures(candidate?.parts ?? []);
  const content = (yield* mapInSteps(parts, (part) => encodeResponsePart(part, list))).flat();
  const seen = {
    calls: content.some((block) => block["type"] === "tool_use"),
    refusal: parts.some((part) => part.type === "refusal"),
  };
  const searches = content.filter(
    (block) => block["type"] === "server_tool_use" && block["name"] === "web_search",
  );
  const value = {
    id: messageId(response.id, context),
    type: "message",
    role: "assistant",
    model: response.model ?? context.model,
    content,
    ...encodeFinish(candidate?.finish ?? { unified: "other" }, seen),
    usage: encodeUsage(response.usage, searches.length),
  };
  return { value, losses: list.losses };
}
