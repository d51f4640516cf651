import { argumentsObject } from "../../exchange/json.ts";
import { createCallId } from "../../exchange/tool-call-id.ts";
import { argumentText, callName, isCustomCall } from "./decode-messages.ts";
import type { ChatStream } from "./decode-stream.ts";
import { googleSignature } from "./google-signatures.ts";
import type { WireToolCall } from "./schema.ts";

interface OpenCall {
  /** Position among the calls of the candidate. */
  readonly position: number;
  id: string | undefined;
  name: string;
  custom: boolean;
  signature: string | undefined;
  /** Arguments so far of a call without an id. Once they are complete, a fragment with a name starts another call. */
  text: string;
  /** Index of the part; undefined until it has started. */
  part: number | undefined;
}

/**
 * Decodes the tool calls of one candidate. The fragments of a call have the same `index`, but partially compatible
 * upstreams omit `index`, use 0 for every call, repeat the id or the name, or split the name. All of these are
 * supported. A part starts with the call's first arguments, so that arguments are emitted as they arrive. A call
 * without arguments starts when the next call opens or the stream ends.
 */
export class StreamCalls {
  private readonly calls: OpenCall[] = [];
  /** The first call of each id. */
  private readonly byId = new Map<string, OpenCall>();
  /** The last call of each `index`. */
  private readonly byIndex = new Map<number, OpenCall>();
  /** Number of calls before the call that was opened last. The parts of these calls have started. */
  private startedCount = 0;

  constructor(
    private readonly candidate: number,
    private readonly stream: ChatStream,
  ) {}

  get any(): boolean {
    return this.calls.length > 0;
  }

  /** Returns whether this part is a call without an id, whose arguments determine where the next call starts. */
  readsText(index: number): boolean {
    return this.calls.some((call) => call.part === index && call.id === undefined);
  }

  take(wire: WireToolCall): void {
    const call = this.find(wire) ?? this.open(wire);
    if (wire.id && call.id === undefined) {
      call.id = wire.id;
      if (!this.byId.has(wire.id)) this.byId.set(wire.id, call);
    }
    if (isCustomCall(wire)) call.custom = true;
    call.signature ??= googleSignature(wire.extra_content);
    const name = callName(wire);
    if (call.part === undefined && name !== call.name) call.name += name;
    const text = call.custom ? (wire.custom?.input ?? "") : argumentText(wire.function?.arguments);
    if (text === "") return;
    if (call.id === undefined) call.text += text;
    this.stream.emit({ type: "arguments-delta", index: this.start(call), text });
  }

  /** Starts the calls that have not started, and ends all calls. */
  close(): void {
    for (const call of this.calls) this.stream.emit({ type: "part-end", index: this.start(call) });
  }

  private find(wire: WireToolCall): OpenCall | undefined {
    const { id, index } = wire;
    const last = this.calls.at(-1);
    if (typeof index !== "number") {
      if (id) return this.byId.get(id);
      return last !== undefined && isAnother(wire, last) ? undefined : last;
    }
    const same = this.byIndex.get(index);
    // A fragment with neither an id nor a name continues the last call.
    if (same === undefined) return id || callName(wire) !== "" ? undefined : last;
    return (id ? same.id !== undefined && same.id !== id : isAnother(wire, same)) ? undefined : same;
  }

  /** Opens a call, and starts the parts of earlier calls, whose names are now complete. */
  private open(wire: WireToolCall): OpenCall {
    for (const earlier of this.calls.slice(this.startedCount)) this.start(earlier);
    this.startedCount = this.calls.length;
    const call: OpenCall = {
      position: this.calls.length,
      id: undefined,
      name: "",
      custom: false,
      signature: undefined,
      text: "",
      part: undefined,
    };
    this.calls.push(call);
    if (typeof wire.index === "number") this.byIndex.set(wire.index, call);
    return call;
  }

  private start(call: OpenCall): number {
    if (call.part !== undefined) return call.part;
    const { candidate, stream } = this;
    const { name, custom, signature } = call;
    const index = stream.nextIndex();
    const id = call.id ?? createCallId(name, stream.responseId, candidate, call.position);
    stream.emit({
      type: "part-start",
      index,
      ...(candidate > 0 ? { candidate } : {}),
      part: {
        type: "tool-call",
        id,
        name,
        arguments: "",
        ...(custom ? { custom: true } : {}),
        signature,
      },
    });
    call.part = index;
    return index;
  }
}

/**
 * Returns whether a fragment without an id starts a call other than `before`. It does if it has a name, the part of
 * `before` has started, and either the names differ, or `before` has no id and complete arguments.
 */
function isAnother(wire: WireToolCall, before: OpenCall): boolean {
  const name = callName(wire);
  if (name === "" || before.part === undefined) return false;
  return name !== before.name || (before.id === undefined && argumentsObject(before.text) !== undefined);
}
