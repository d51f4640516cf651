import { isObject } from "../exchange/json.ts";

type Members = Readonly<Record<string, unknown>>;

/** An error that is sent to the client of a WebSocket. The connection stays open. */
export class TurnError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly param: string | null = null,
  ) {
    super(message);
    this.name = "TurnError";
  }
}

/** A response that only the proxy retains, with all items of its conversation. */
interface KeptResponse {
  readonly id: string;
  readonly items: readonly unknown[];
}

/** The request of a turn. `body` is sent as the body of `POST /v1/responses`. */
export interface Turn {
  readonly body: Members;
  /**
   * The items of the conversation up to this turn; undefined if the response is stored elsewhere or continues one that
   * is.
   */
  readonly items: readonly unknown[] | undefined;
  /** The client's `previous_response_id`, if the body contains the items of that response instead of the id. */
  readonly continued: string | undefined;
  /** Whether the client only prepares a conversation, so that no model is called. */
  readonly isWarmUp: boolean;
}

/** Members of an event that are not copied to the HTTP request. */
const TRANSPORT = ["type", "stream", "stream_options", "generate", "event_id"];

/**
 * Creates the turns of one WebSocket connection. Retains the last response that has `store: false` or belongs to a
 * warm-up, so that the client can continue it by sending `previous_response_id` and only the new items. Does not retain
 * a response that continues a response stored elsewhere.
 * https://developers.openai.com/api/docs/guides/websocket-mode
 */
export class Turns {
  private kept: KeptResponse | undefined;

  /** Returns the turn that a client's event requests. Throws `TurnError` if the event is invalid. */
  begin(event: Members): Turn {
    if (event["type"] !== "response.create")
      throw new TurnError(400, "invalid_event", 'Send events of the type "response.create".', "type");
    if (event["background"] === true)
      throw new TurnError(400, "unsupported_parameter", "background is not available here.", "background");
    const body = Object.fromEntries(Object.entries(event).filter(([name]) => !TRANSPORT.includes(name)));
    const isWarmUp = event["generate"] === false;
    const id = event["previous_response_id"];
    const added = toItems(event["input"]);
    if (typeof id === "string" && this.kept?.id === id) {
      expectCalls(this.kept.items, added, () => this.forget(id));
      const items = [...this.kept.items, ...added];
      const { previous_response_id: _, ...rest } = body;
      return { body: { ...rest, input: items }, items: unstored(event, items), continued: id, isWarmUp };
    }
    // The items of a response that is stored elsewhere are unknown.
    const isKnown = id === undefined || id === null;
    return { body, items: isKnown ? unstored(event, added) : undefined, continued: undefined, isWarmUp };
  }

  /** Retains a response so that the client can continue it. Does nothing if the turn's `items` are undefined. */
  keep(id: string, turn: Turn, output: readonly unknown[]): void {
    if (turn.items !== undefined) this.kept = { id, items: [...turn.items, ...output.flatMap(toInput)] };
  }

  /** Discards the retained response with this id, after a failed turn that continued it. */
  forget(id: string | undefined): void {
    if (this.kept?.id === id) this.kept = undefined;
  }
}

function toItems(input: unknown): readonly unknown[] {
  if (Array.isArray(input)) return input;
  return typeof input === "string" ? [{ type: "message", role: "user", content: input }] : [];
}

/**
 * Returns the items if they must be retained here: those of a response with `store: false`, and those of a warm-up,
 * which is not sent to a vendor.
 */
function unstored(event: Members, items: readonly unknown[]): readonly unknown[] | undefined {
  return event["store"] === false || event["generate"] === false ? items : undefined;
}

/**
 * Converts an output item to input of the next turn. The id is removed, because ids refer to stored items. Reasoning
 * without `encrypted_content` is dropped, because it cannot be sent again.
 */
function toInput(item: unknown): readonly unknown[] {
  if (!isObject(item)) return [];
  const { id: _, status: __, ...rest } = item;
  if (item["type"] === "reasoning" && typeof item["encrypted_content"] !== "string") return [];
  return [rest];
}

/** Throws `TurnError`, as OpenAI does, if a tool result belongs to no call of the conversation. */
function expectCalls(earlier: readonly unknown[], added: readonly unknown[], onMissing: () => void): void {
  const ids = new Set<unknown>();
  for (const item of [...earlier, ...added])
    if (isObject(item) && String(item["type"]).endsWith("_call")) ids.add(item["call_id"]);
  for (const item of added) {
    if (!isObject(item) || !String(item["type"]).endsWith("_call_output") || ids.has(item["call_id"]))
      continue;
    onMissing();
    const id = String(item["call_id"]);
    throw new TurnError(
      400,
      "invalid_request_error",
      `No tool call found for function call output with call_id ${id}.`,
      "input",
    );
  }
}
