import type { EncodeContext } from "../../exchange/codec.ts";
import type { ToolCallPart } from "../../exchange/parts.ts";
import { toCallId } from "../../exchange/tool-call-id.ts";
import { isDeclaredCustom, unwrapCustomInput } from "../shared/custom-calls.ts";
import { googleExtra } from "./google-signatures.ts";
import { profile } from "./profile.ts";

interface Call {
  readonly position: number;
  /**
   * The form in which the client receives the call: a function, a custom tool, a custom tool whose input the function
   * call of the upstream wraps, or a function that wraps a custom call.
   */
  readonly kind: "function" | "custom" | "unwrapped" | "wrapped";
  written: boolean;
  /** The arguments so far, if the client receives them at the end, because they must be unwrapped as a whole. */
  wrapped: string;
}

/**
 * Creates a writer of `delta.tool_calls` entries as JSON text. The entry's `index` counts the calls of a candidate in
 * the order of their start. Interleaved calls stay interleaved, which clients of the dialect support.
 */
export function createCallWriter(context: EncodeContext) {
  const calls = new Map<number, Call>();
  const counts = new Map<number, number>();

  const delta = (call: Call, text: string) => {
    const json = JSON.stringify(text);
    if (call.kind === "custom" || call.kind === "unwrapped")
      return `{"index":${call.position},"custom":{"input":${json}}}`;
    return `{"index":${call.position},"function":{"arguments":${json}}}`;
  };
  return {
    start(index: number, candidate: number, part: ToolCallPart): string {
      const position = counts.get(candidate) ?? 0;
      counts.set(candidate, position + 1);
      const kind = getKind(part, context);
      calls.set(index, { position, kind, written: false, wrapped: "" });
      const id = toCallId(profile.callIds, part.id);
      const extra = googleExtra(part.signature);
      if (kind === "custom" || kind === "unwrapped") {
        const custom = { name: part.name, input: "" };
        return JSON.stringify({ index: position, id, type: "custom", custom, ...extra });
      }
      const described = { name: part.name, arguments: kind === "wrapped" ? '{"input":"' : "" };
      return JSON.stringify({ index: position, id, type: "function", function: described, ...extra });
    },
    add(index: number, text: string): string {
      const call = calls.get(index);
      if (call === undefined || text === "") return "";
      call.written = true;
      if (call.kind === "unwrapped") {
        call.wrapped += text;
        return "";
      }
      return delta(call, call.kind === "wrapped" ? JSON.stringify(text).slice(1, -1) : text);
    },
    /** Ends a call. Empty arguments become `{}`, because clients parse them as JSON. */
    end(index: number): string {
      const call = calls.get(index);
      if (call === undefined || call.kind === "custom") return "";
      if (call.kind === "unwrapped") return delta(call, unwrapCustomInput({ arguments: call.wrapped }));
      if (call.kind === "wrapped") return delta(call, '"}');
      return call.written ? "" : delta(call, "{}");
    },
    count: (candidate: number): number => counts.get(candidate) ?? 0,
  };
}

function getKind({ name, custom }: ToolCallPart, { request }: EncodeContext): Call["kind"] {
  if (isDeclaredCustom(name, request)) return custom === true ? "custom" : "unwrapped";
  return custom === true ? "wrapped" : "function";
}
