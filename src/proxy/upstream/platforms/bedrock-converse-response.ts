import { asObject, asObjects, type Json } from "../../exchange/json.ts";

/** The parts of a request that its response depends on. */
export interface ConverseCall {
  readonly model: string;
  /** The client's names of tools, by the names that were sent, if they differ. */
  readonly toolNames: ReadonlyMap<unknown, unknown>;
  /** The stop sequence, if there is only one, because Converse does not name the one that the model has generated. */
  readonly stopSequence: unknown;
}

/** Converts a response of Amazon Bedrock's Converse API to the `messages` dialect. */
export function fromConverse(call: ConverseCall, response: unknown): Json {
  const { model } = call;
  const { output, stopReason, usage } = asObject(response);
  const blocks = asObjects(asObject(asObject(output)["message"])["content"]);
  const content = blocks.flatMap((block) => fromContent(block, call));
  return {
    id: newId(),
    type: "message",
    role: "assistant",
    model,
    content,
    ...toStop(stopReason, call),
    usage: toUsage(usage),
  };
}

function fromContent({ text, toolUse, reasoningContent }: Json, { toolNames }: ConverseCall): Json[] {
  if (typeof text === "string") return [{ type: "text", text }];
  if (toolUse !== undefined) {
    const { toolUseId, name, input } = asObject(toolUse);
    return [{ type: "tool_use", id: toolUseId, name: toolNames.get(name) ?? name, input: input ?? {} }];
  }
  const { reasoningText, redactedContent } = asObject(reasoningContent);
  if (redactedContent !== undefined) return [{ type: "redacted_thinking", data: redactedContent }];
  if (reasoningText === undefined) return [];
  const { text: thinking, signature } = asObject(reasoningText);
  return [{ type: "thinking", thinking: thinking ?? "", signature: signature ?? "" }];
}

const STOP_REASONS: Readonly<Record<string, string>> = {
  end_turn: "end_turn",
  tool_use: "tool_use",
  max_tokens: "max_tokens",
  stop_sequence: "stop_sequence",
  guardrail_intervened: "refusal",
  content_filtered: "refusal",
  model_context_window_exceeded: "model_context_window_exceeded",
};

/** Converts a stop reason. A reason that `messages` does not define, such as `malformed_tool_use`, keeps its name. */
function toStop(reason: unknown, { stopSequence }: ConverseCall): Json {
  const name = typeof reason === "string" ? reason : "end_turn";
  return {
    stop_reason: STOP_REASONS[name] ?? name,
    stop_sequence: name === "stop_sequence" ? (stopSequence ?? null) : null,
  };
}

function toUsage(usage: unknown): Json {
  const { inputTokens, outputTokens, cacheReadInputTokens, cacheWriteInputTokens } = asObject(usage);
  return {
    input_tokens: inputTokens ?? 0,
    output_tokens: outputTokens ?? 0,
    cache_read_input_tokens: cacheReadInputTokens ?? 0,
    cache_creation_input_tokens: cacheWriteInputTokens ?? 0,
  };
}

/**
 * Converts the events of ConverseStream to those of `messages`. ConverseStream sends a start event only for tool calls;
 * every other block begins with its first delta. The usage arrives after the stop reason.
 */
export class ConverseEvents {
  private readonly call: ConverseCall;
  /** The index of each open block in the message, by Converse's index, which also counts blocks without content. */
  private readonly open = new Map<number, number>();
  private next = 0;
  private stop: Json | undefined;
  private hasEnded = false;

  constructor(call: ConverseCall) {
    this.call = call;
  }

  /** Returns the events for one event of Converse. */
  read(type: string, value: unknown): Json[] {
    const event = asObject(value);
    const index = Number(event["contentBlockIndex"] ?? 0);
    switch (type) {
      case "messageStart":
        return [{ type: "message_start", message: this.emptyMessage() }];
      case "contentBlockStart":
        return this.start(index, asObject(event["start"]));
      case "contentBlockDelta":
        return this.delta(index, asObject(event["delta"]));
      case "contentBlockStop":
        return this.endBlock(index);
      case "messageStop":
        this.stop = toStop(event["stopReason"], this.call);
        return [];
      case "metadata":
        return this.finish(event["usage"]);
      default:
        return [];
    }
  }

  /** Returns the last events of a message that has a stop reason, unless `read` has returned them with the usage. */
  end(): Json[] {
    return this.stop === undefined ? [] : this.finish(undefined);
  }

  private emptyMessage(): Json {
    return {
      id: newId(),
      type: "message",
      role: "assistant",
      model: this.call.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 0, output_tokens: 0 },
    };
  }

  private start(index: number, { toolUse }: Json): Json[] {
    if (toolUse === undefined) return [];
    const { toolUseId, name } = asObject(toolUse);
    const own = this.call.toolNames.get(name) ?? name;
    return this.begin(index, { type: "tool_use", id: toolUseId, name: own, input: {} });
  }

  private begin(index: number, block: Json): Json[] {
    this.open.set(index, this.next);
    return [{ type: "content_block_start", index: this.next++, content_block: block }];
  }

  private endBlock(index: number): Json[] {
    const own = this.open.get(index);
    this.open.delete(index);
    return own === undefined ? [] : [{ type: "content_block_stop", index: own }];
  }

  /** Returns a delta, preceded by the start of its block if the block is not open. */
  private grow(index: number, block: Json, delta: Json): Json[] {
    const begun = this.open.has(index) ? [] : this.begin(index, block);
    return [...begun, { type: "content_block_delta", index: this.open.get(index), delta }];
  }

  private delta(index: number, { text, toolUse, reasoningContent }: Json): Json[] {
    if (typeof text === "string")
      return this.grow(index, { type: "text", text: "" }, { type: "text_delta", text });
    if (toolUse !== undefined) {
      const own = this.open.get(index);
      const { input } = asObject(toolUse);
      const delta = { type: "input_json_delta", partial_json: input ?? "" };
      return own === undefined ? [] : [{ type: "content_block_delta", index: own, delta }];
    }
    return this.reasoningDelta(index, asObject(reasoningContent));
  }

  private reasoningDelta(index: number, { text, signature, redactedContent }: Json): Json[] {
    if (redactedContent !== undefined)
      return this.begin(index, { type: "redacted_thinking", data: redactedContent });
    const delta =
      signature === undefined
        ? { type: "thinking_delta", thinking: text ?? "" }
        : { type: "signature_delta", signature };
    return this.grow(index, { type: "thinking", thinking: "", signature: "" }, delta);
  }

  private finish(usage: unknown): Json[] {
    if (this.hasEnded) return [];
    this.hasEnded = true;
    const delta = this.stop ?? toStop(undefined, this.call);
    return [{ type: "message_delta", delta, usage: toUsage(usage) }, { type: "message_stop" }];
  }
}

function newId(): string {
  return `msg_${crypto.randomUUID().replaceAll("-", "").slice(0, 24)}`;
}
