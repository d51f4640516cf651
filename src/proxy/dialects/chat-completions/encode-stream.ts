import { serializeEvent } from "../../../sse/serialize.ts";
import type { EncodeContext, StreamEncoder } from "../../exchange/codec.ts";
import type { ExchangeEvent } from "../../exchange/event.ts";
import { createLossList } from "../../exchange/loss.ts";
import { urlOfSource } from "../../exchange/media.ts";
import type { Part } from "../../exchange/parts.ts";
import type { Usage } from "../../exchange/response.ts";
import { mergeUsage } from "../../exchange/usage.ts";
import { encodeCitation } from "./citations.ts";
import { completionId, encodeReasoningDetail } from "./encode-response.ts";
import { encodeError } from "./errors.ts";
import { encodeFinish } from "./finish.ts";
import { createCallWriter } from "./stream-call-writer.ts";
import { encodeUsage } from "./usage.ts";

interface OpenPart {
  readonly part: Part;
  readonly candidate: number;
  signature: string;
  text: string;
}

/**
 * Writes chunks: the role first, deltas as they come, one `finish_reason` per candidate, usage where the client asked
 * for it, `[DONE]`; or an error object and nothing more.
 */
export function createStreamEncoder(context: EncodeContext): StreamEncoder {
  const list = createLossList();
  const open = new Map<number, OpenPart>();
  const spoken = new Set<number>();
  const refused = new Set<number>();
  const calls = createCallWriter(context);
  let head = "";
  let usage: Usage | undefined;
  let length = 0;
  let ended = false;

  const chunk = (candidate: number, delta: string, finish = "null") => {
    const role = spoken.has(candidate) ? "" : `"role":"assistant"${delta === "" ? "" : ","}`;
    spoken.add(candidate);
    return `data: ${head}"choices":[{"index":${candidate},"delta":{${role}${delta}},"logprobs":null,"finish_reason":${finish}}]}\n\n`;
  };
  const start = (id: string | undefined, created: number | undefined) => {
    const fields = {
      id: completionId(id, context),
      object: "chat.completion.chunk",
      created: created ?? Math.floor(context.now / 1000),
      model: context.model,
    };
    head = `${JSON.stringify(fields).slice(0, -1)},`;
    return chunk(0, `"content":""`);
  };
  const say = (index: number, text: string) => {
    const at = open.get(index);
    if (at === undefined) return "";
    const json = JSON.stringify(text);
    if (at.part.type === "reasoning") {
      if (at.part.vendor !== "chat-completions") at.text += text;
      return at.part.redacted === true ? "" : chunk(at.candidate, `"reasoning_content":${json}`);
    }
    if (at.part.type === "refusal") {
      refused.add(at.candidate);
      return chunk(at.candidate, `"refusal":${json}`);
    }
    length += text.length;
    return chunk(at.candidate, `"content":${json}`);
  };
  const endPart = (index: number, whole: Part | undefined) => {
    const at = open.get(index);
    open.delete(index);
    if (at === undefined) return "";
    if (at.part.type === "tool-call") return wrapDelta(at.candidate, calls.end(index));
    const signature = at.signature || (whole?.type === "reasoning" ? (whole.signature ?? "") : "");
    if (at.part.type !== "reasoning" || signature === "") return "";
    const detail = encodeReasoningDetail({ ...at.part, text: at.text, signature });
    return chunk(at.candidate, `"reasoning_details":[${JSON.stringify(detail)}]`);
  };
  const wrapDelta = (candidate: number, delta: string) =>
    delta === "" ? "" : chunk(candidate, `"tool_calls":[${delta}]`);
  const whole = (part: Part, candidate: number, index: number): string => {
    if (part.type === "text" || part.type === "refusal" || part.type === "reasoning") {
      open.set(index, {
        part,
        candidate,
        signature: part.type === "reasoning" ? (part.signature ?? "") : "",
        text: "",
      });
      return (part.text === "" ? "" : say(index, part.text)) + endPart(index, undefined);
    }
    if (part.type === "tool-call") {
      return (
        wrapDelta(candidate, calls.start(index, candidate, part)) +
        wrapDelta(candidate, calls.add(index, part.arguments)) +
        wrapDelta(candidate, calls.end(index))
      );
    }
    const url = part.type === "image" ? urlOfSource(part.source) : undefined;
    if (url !== undefined) {
      return chunk(candidate, `"images":[${JSON.stringify({ type: "image_url", image_url: { url } })}]`);
    }
    list.add(`answer-${part.type}`, `A ${part.type} in the answer has no place in this dialect.`);
    return "";
  };
  const finish = (event: Extract<ExchangeEvent, { type: "finish" }>) => {
    const candidate = event.candidate ?? 0;
    const seen = { calls: calls.countOf(candidate) > 0, refusal: refused.has(candidate) };
    return chunk(candidate, "", JSON.stringify(encodeFinish(event.finish, seen)));
  };
  const end = () => {
    const wanted = context.request.streamUsage === true && usage !== undefined;
    const last = wanted
      ? `data: ${head}"choices":[],"usage":${JSON.stringify(encodeUsage(usage ?? none))}}\n\n`
      : "";
    return `${last}data: [DONE]\n\n`;
  };
  const write = (event: ExchangeEvent): string => {
    switch (event.type) {
      case "start":
        usage = mergeUsage(usage, event.usage);
        return start(event.id, event.created);
      case "part-start": {
        const { part, index, candidate = 0 } = event;
        open.set(index, { part, candidate, signature: "", text: "" });
        return part.type === "tool-call" ? wrapDelta(candidate, calls.start(index, candidate, part)) : "";
      }
      case "text-delta":
        return say(event.index, event.text);
      case "arguments-delta":
        return wrapDelta(open.get(event.index)?.candidate ?? 0, calls.add(event.index, event.text));
      case "signature-delta": {
        const at = open.get(event.index);
        if (at !== undefined) at.signature += event.signature;
        return "";
      }
      case "citation": {
        const annotation = encodeCitation(event.citation, 0, length);
        const candidate = open.get(event.index)?.candidate ?? 0;
        return annotation === undefined
          ? ""
          : chunk(candidate, `"annotations":[${JSON.stringify(annotation)}]`);
      }
      case "part-end":
        return endPart(event.index, event.part);
      case "part-whole":
        return whole(event.part, event.candidate ?? 0, event.index);
      case "usage":
        usage = mergeUsage(usage, event.usage);
        return "";
      case "finish":
        return finish(event);
      case "end":
        usage = mergeUsage(usage, event.usage);
        ended = true;
        return end();
      case "error":
        ended = true;
        return serializeEvent(JSON.stringify(encodeError(event.error).body));
      case "ping":
        return ": keep-alive\n\n";
    }
  };
  return {
    push: (event) => (ended ? "" : write(event)),
    get losses() {
      return list.losses;
    },
  };
}

const none: Usage = { input: {}, output: {} };
