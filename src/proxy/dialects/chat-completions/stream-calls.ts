import type { ExchangeEvent } from "../../exchange/event.ts";
import { madeCallId } from "../../exchange/tool-call-id.ts";
import { argumentText, googleSignature } from "./decode-messages.ts";
import type { WireToolCall } from "./schema.ts";

interface OpenCall {
  readonly wireIndex: number | undefined;
  id: string | undefined;
  name: string;
  custom: boolean;
  signature: string | undefined;
  /** Index of its part once that has started. */
  part: number | undefined;
}

/** What the calls of one candidate share with the rest of its stream. */
export interface CallsContext {
  readonly candidate: number;
  readonly nextIndex: () => number;
  readonly emit: (event: ExchangeEvent) => void;
  readonly responseId: () => string;
}

/**
 * Tool calls as they grow. The dialect's clients tell them apart by `index`; upstreams that are compatible only in
 * part leave it out, use 0 for every call, repeat id or name, or cut the name in two, and all of that is borne. A part
 * starts as soon as something follows its name, so that arguments flow as they come.
 */
export function createStreamCalls(context: CallsContext) {
  const calls: OpenCall[] = [];

  const find = (wire: WireToolCall): OpenCall | undefined => {
    const { id, index } = wire;
    if (typeof index === "number") {
      const same = calls.findLast((call) => call.wireIndex === index);
      return same !== undefined && id && same.id !== undefined && same.id !== id ? undefined : same;
    }
    return id ? calls.find((call) => call.id === id) : calls.at(-1);
  };
  const start = (call: OpenCall): number => {
    if (call.part !== undefined) return call.part;
    call.part = context.nextIndex();
    const id = call.id ?? madeCallId(call.name, context.responseId(), context.candidate, calls.indexOf(call));
    const part = { type: "tool-call" as const, id, name: call.name, arguments: "" };
    context.emit({
      type: "part-start",
      index: call.part,
      ...(context.candidate > 0 ? { candidate: context.candidate } : {}),
      part: {
        ...part,
        ...(call.custom ? { custom: true } : {}),
        ...(call.signature === undefined ? {} : { signature: call.signature }),
      },
    });
    return call.part;
  };
  const take = (wire: WireToolCall): void => {
    let call = find(wire);
    if (call === undefined) {
      for (const earlier of calls) start(earlier);
      call = {
        wireIndex: wire.index ?? undefined,
        id: undefined,
        name: "",
        custom: false,
        signature: undefined,
        part: undefined,
      };
      calls.push(call);
    }
    if (wire.id) call.id ??= wire.id;
    if (wire.custom) call.custom = true;
    call.signature ??= googleSignature(wire.extra_content);
    const name = wire.function?.name ?? wire.custom?.name ?? "";
    if (call.part === undefined && name !== call.name) call.name += name;
    const text = wire.custom ? (wire.custom.input ?? "") : argumentText(wire.function?.arguments);
    if (text !== "") context.emit({ type: "arguments-delta", index: start(call), text });
  };
  return {
    take,
    get any() {
      return calls.length > 0;
    },
    /** Starts what has not, and ends all of them. */
    close(): void {
      for (const call of calls) context.emit({ type: "part-end", index: start(call) });
    },
  };
}
