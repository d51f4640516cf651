import { serializeLine } from "../../sse/serialize.ts";
import { isObject, parseJson, stringifyJson } from "../exchange/json.ts";

type Members = Readonly<Record<string, unknown>>;

/** An event of the responses dialect without its sequence number. */
interface ReplayedEvent {
  readonly type: string;
  readonly members: Members;
}

/**
 * Returns a stored response as an event stream, for `GET /v1/responses/{id}?stream=true`. Each text is a single
 * delta, because the original deltas are not stored. Events up to number `after` are left out, except the last one,
 * which contains the whole response and ends the stream. https://platform.openai.com/docs/api-reference/responses/get
 */
export function replayResponse(text: string, after: number): string {
  const response = parseJson(text);
  const events = [...createEvents(isObject(response) ? response : {})];
  const last = events.length - 1;
  return events
    .map(({ type, members }, index) => {
      if (index <= after && index < last) return "";
      const sequence_number = Math.max(index, after + 1);
      return serializeLine(stringifyJson({ type, sequence_number, ...members }), type);
    })
    .join("");
}

function* createEvents(response: Members): Generator<ReplayedEvent> {
  const nothingYet = { output: [], usage: null, error: null, incomplete_details: null, completed_at: null };
  const begun = { ...response, ...nothingYet, status: "in_progress" };
  yield { type: "response.created", members: { response: begun } };
  yield { type: "response.in_progress", members: { response: begun } };
  for (const [index, item] of objectsIn(response["output"]).entries()) yield* itemEvents(item, index);
  const status = response["status"] ?? "completed";
  yield { type: `response.${status}`, members: { response } };
}

function* itemEvents(item: Members, output_index: number): Generator<ReplayedEvent> {
  const where = { item_id: item["id"], output_index };
  yield { type: "response.output_item.added", members: { output_index, item: withoutResults(item) } };
  switch (item["type"]) {
    case "message":
      yield* listEvents(item, "content", (part, content_index) =>
        contentEvents(part, { ...where, content_index }),
      );
      break;
    case "reasoning":
      yield* listEvents(item, "summary", (part, summary_index) =>
        summaryEvents(part, { ...where, summary_index }),
      );
      break;
    case "function_call":
      yield* textEvents("function_call_arguments", where, { arguments: item["arguments"] });
      break;
    case "custom_tool_call":
      yield* textEvents("custom_tool_call_input", where, { input: item["input"] });
      break;
  }
  yield { type: "response.output_item.done", members: { output_index, item } };
}

function* listEvents(
  item: Members,
  member: string,
  toEvents: (part: Members, index: number) => Generator<ReplayedEvent>,
): Generator<ReplayedEvent> {
  for (const [index, part] of objectsIn(item[member]).entries()) yield* toEvents(part, index);
}

function* contentEvents(part: Members, where: Members): Generator<ReplayedEvent> {
  yield { type: "response.content_part.added", members: { ...where, part: withoutResults(part) } };
  if (part["type"] === "refusal") yield* textEvents("refusal", where, { refusal: part["refusal"] });
  else {
    const logprobs = part["logprobs"] ?? [];
    const cited = objectsIn(part["annotations"]).map((annotation, annotation_index) => ({
      type: "response.output_text.annotation.added",
      members: { ...where, annotation_index, annotation },
    }));
    yield* textEvents("output_text", where, { text: part["text"] }, { logprobs }, cited);
  }
  yield { type: "response.content_part.done", members: { ...where, part } };
}

function* summaryEvents(part: Members, where: Members): Generator<ReplayedEvent> {
  yield { type: "response.reasoning_summary_part.added", members: { ...where, part: withoutResults(part) } };
  yield* textEvents("reasoning_summary_text", where, { text: part["text"] });
  yield { type: "response.reasoning_summary_part.done", members: { ...where, part } };
}

/** Yields the events of one text. `whole` is the member that contains the text in the last event. */
function* textEvents(
  kind: string,
  where: Members,
  whole: Members,
  besides: Members = {},
  between: readonly ReplayedEvent[] = [],
): Generator<ReplayedEvent> {
  const [delta] = Object.values(whole);
  yield { type: `response.${kind}.delta`, members: { ...where, delta, ...besides } };
  yield* between;
  yield { type: `response.${kind}.done`, members: { ...where, ...whole, ...besides } };
}

/** Initial values of the members that an item or part fills while it is streamed; undefined means absent. */
const AT_FIRST: Members = {
  status: "in_progress",
  content: [],
  summary: [],
  annotations: [],
  logprobs: [],
  arguments: "",
  input: "",
  text: "",
  refusal: "",
  encrypted_content: undefined,
  result: undefined,
};

function withoutResults(value: Members): Members {
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, name in AT_FIRST ? AT_FIRST[name] : member]),
  );
}

function objectsIn(list: unknown): Members[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}
