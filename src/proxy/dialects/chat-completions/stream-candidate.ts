import type { ExchangeEvent, OpenPart } from "../../exchange/event.ts";
import { isObject } from "../../exchange/json.ts";
import { sourceOfUrl } from "../../exchange/media.ts";
import { openSignature } from "../../exchange/signature.ts";
import { decodeCitations } from "./citations.ts";
import { decodeFinish } from "./finish.ts";
import type { WireAnswer } from "./schema.ts";
import { type CallsContext, createStreamCalls } from "./stream-calls.ts";

/** One candidate's growing answer: deltas in, canonical events out through `context.emit`. */
export function createStreamCandidate(context: CallsContext) {
  const { emit, nextIndex, candidate } = context;
  const which = candidate > 0 ? { candidate } : {};
  const calls = createStreamCalls(context);
  let open: { readonly type: string; readonly index: number } | undefined;
  let refused = false;
  let spoke = false;
  let finishReason: string | undefined;

  const close = () => {
    if (open !== undefined) emit({ type: "part-end", index: open.index });
    open = undefined;
  };
  const within = (part: OpenPart): number => {
    if (open?.type === part.type) return open.index;
    close();
    open = { type: part.type, index: nextIndex() };
    emit({ type: "part-start", index: open.index, ...which, part });
    return open.index;
  };
  const say = (part: OpenPart, text: string | null | undefined) => {
    if (text) emit({ type: "text-delta", index: within(part), text });
  };
  const think = (delta: WireAnswer) => {
    const details = (delta.reasoning_details ?? []).filter(isObject);
    const spoken = details
      .map((detail) => detail["text"] ?? detail["summary"])
      .filter((text) => typeof text === "string");
    const plain =
      delta.reasoning_content ?? (typeof delta.reasoning === "string" ? delta.reasoning : undefined);
    say(thinking, plain ?? spoken.join(""));
    for (const { signature } of details) {
      if (typeof signature !== "string" || signature === "") continue;
      const opened = openSignature("chat-completions", signature);
      if (opened.vendor === "chat-completions") {
        emit({ type: "signature-delta", index: within(thinking), signature: opened.signature });
      }
    }
  };
  const take = (delta: WireAnswer) => {
    think(delta);
    for (const text of texts(delta.content)) say({ type: "text", text: "" }, text);
    for (const citation of decodeCitations(delta.annotations)) {
      emit({ type: "citation", index: within({ type: "text", text: "" }), citation });
    }
    if (delta.refusal) refused = true;
    say({ type: "refusal", text: "" }, delta.refusal);
    for (const image of delta.images ?? []) {
      const url = isObject(image["image_url"]) ? image["image_url"]["url"] : undefined;
      if (typeof url !== "string") continue;
      close();
      emit({
        type: "part-whole",
        index: nextIndex(),
        ...which,
        part: { type: "image", source: sourceOfUrl(url) },
      });
    }
    const called = delta.tool_calls ?? [];
    if (called.length > 0 || delta.function_call) close();
    for (const call of called) calls.take(call);
    if (delta.function_call) calls.take({ function: delta.function_call, extra_content: undefined });
  };
  return {
    take(delta: WireAnswer | null | undefined, reason: string | null | undefined): void {
      spoke = true;
      if (delta) take(delta);
      if (reason) finishReason = reason;
    },
    get finished() {
      return finishReason !== undefined;
    },
    get spoke() {
      return spoke;
    },
    /** The ends of all parts and the finish; upstreams may add to a candidate after its `finish_reason`. */
    close(): void {
      close();
      calls.close();
      const finish = decodeFinish(finishReason ?? "stop", { calls: calls.any, refusal: refused });
      emit({ type: "finish", ...which, finish } satisfies ExchangeEvent);
    },
  };
}

const thinking = { type: "reasoning", text: "", vendor: "chat-completions" } as const;

function texts(content: WireAnswer["content"]): readonly string[] {
  if (typeof content === "string") return [content];
  return (content ?? []).flatMap((part) => (typeof part["text"] === "string" ? [part["text"]] : []));
}
