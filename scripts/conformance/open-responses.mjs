// A strict runner of the compliance tests of Open Responses (https://github.com/openresponses/openresponses):
// the same requests and conditions, by their ids. The official runner needs Bun and a checkout of that
// repository. In addition, this runner requires consecutive sequence numbers, and a terminal event at the end of
// each stream.
import { WebSocket } from "ws";
import { compaction, httpEvent, response, webSocketEvent } from "./open-responses-schema.mjs";

/** A PNG image of one pixel. */
const IMAGE =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
const WEATHER = {
  type: "function",
  name: "get_weather",
  description: "Get the current weather for a location",
  parameters: {
    type: "object",
    properties: { location: { type: "string", description: "The city and state, e.g. San Francisco, CA" } },
    required: ["location"],
  },
};
const TURN_TIMEOUT_MS = 30_000;
const FINAL = new Set(["response.completed", "response.incomplete", "response.failed"]);

const message = (role, content, members = {}) => ({ type: "message", role, content, ...members });

/** Each test receives the target and returns a list of problems. */
const TESTS = {
  "basic-response": (target) =>
    completes(target, { input: [message("user", "Say hello in exactly 3 words.")] }),
  "assistant-phase": (target) =>
    completes(target, {
      input: [
        message("assistant", "I should answer with the saved number.", { phase: "commentary" }),
        message("assistant", "The number is four.", { phase: "final_answer" }),
        message("user", "Repeat only the number."),
      ],
    }),
  "streaming-response": async (target) => {
    const { events, errors, final } = await stream(target, {
      input: [message("user", "Count from 1 to 5.")],
    });
    return [...errors, ...(events.length === 0 ? ["no events"] : []), ...isCompleted(final)];
  },
  "tool-calling-streaming": async (target) => {
    const body = { input: [message("user", "What's the weather like in San Francisco?")], tools: [WEATHER] };
    const { events, errors } = await stream(target, body);
    const hasItem = (type) =>
      events.some((event) => event.type === type && event.item?.type === "function_call");
    const has = (type) => events.some((event) => event.type === type);
    return [
      ...errors,
      ...missing(hasItem("response.output_item.added"), "an added function_call"),
      ...missing(has("response.function_call_arguments.delta"), "a delta of the arguments"),
      ...missing(has("response.function_call_arguments.done"), "the whole arguments"),
      ...missing(hasItem("response.output_item.done"), "a done function_call"),
    ];
  },
  "system-prompt": (target) =>
    completes(target, {
      input: [
        message("system", "You are a pirate. Always respond in pirate speak."),
        message("user", "Say hello."),
      ],
    }),
  "tool-calling": async (target) => {
    const body = { input: [message("user", "What's the weather like in San Francisco?")], tools: [WEATHER] };
    const { errors, value } = await create(target, body);
    return [...errors, ...missing(hasType(value, "function_call"), "a function_call")];
  },
  "function-call-roundtrip": async (target) => {
    const opening = message("user", "Use the weather tool to get the temperature in San Francisco.");
    const first = await create(target, {
      input: [opening],
      tools: [WEATHER],
      tool_choice: { type: "function", name: "get_weather" },
    });
    const call = first.value?.output?.find(({ type }) => type === "function_call");
    if (call === undefined) return [...first.errors, "no function_call"];
    const result = { type: "function_call_output", call_id: call.call_id, output: '{"temperature_c":18}' };
    const { type, call_id, name, arguments: given } = call;
    const input = [opening, { type, call_id, name, arguments: given }, result];
    return [...first.errors, ...(await completes(target, { input, tools: [WEATHER] }))];
  },
  "image-input": (target) => {
    const content = [
      { type: "input_text", text: "What do you see in this image? Answer in one sentence." },
      { type: "input_image", image_url: IMAGE },
    ];
    return completes(target, { input: [message("user", content)] });
  },
  "multi-turn": (target) =>
    completes(target, {
      input: [
        message("user", "My name is Alice."),
        message("assistant", "Hello Alice! Nice to meet you. How can I help you today?"),
        message("user", "What is my name?"),
      ],
    }),
  "previous-response-id": async (target) => {
    const first = await create(target, { input: "Remember this code word: papaya. Reply with only OK." });
    if (first.errors.length > 0) return first.errors;
    const question = "What code word did I ask you to remember?";
    return completes(target, { previous_response_id: first.value.id, input: question });
  },
  "compact-response": async (target) => {
    const input = [
      message("user", "We agreed to launch on Tuesday and notify support first."),
      message("assistant", "Understood. The launch is Tuesday, with support notified beforehand."),
    ];
    const body = { model: target.model, prompt_cache_key: "openresponses-compact-test", input };
    const { status, value } = await post(target, "/responses/compact", body);
    if (status !== 200) return [`status ${status}: ${JSON.stringify(value)}`];
    return [...check(compaction, value), ...missing(hasType(value, "compaction"), "a compaction item")];
  },
  "compact-missing-model": async (target) => {
    const input = [message("user", "Compact this conversation.")];
    const { status } = await post(target, "/responses/compact", { input });
    return missing(status === 400 || status === 422, `status 400 or 422 instead of ${status}`);
  },
  "websocket-response": async (target) => {
    const [turn] = await talk(target, [{ input: [message("user", "Count from 1 to 3.")] }]);
    return isWhole(turn);
  },
  "websocket-sequential-responses": async (target) => {
    const turns = await talk(target, [
      { store: false, input: "Reply with exactly: first" },
      { store: false, input: "Reply with exactly: second" },
    ]);
    return turns.flatMap(isWhole);
  },
  "websocket-continuation": async (target) => {
    const turns = await talk(target, [
      { store: false, input: "Remember the code word: cobalt. Reply with OK." },
      ([first]) => ({ store: false, previous_response_id: first.final?.id, input: "What is the code word?" }),
    ]);
    return turns.flatMap(isWhole);
  },
  "websocket-generate-false": async (target) => {
    const turns = await talk(target, [
      { store: false, generate: false, input: "Remember the code word: amber." },
      ([first]) => ({ store: false, previous_response_id: first.final?.id, input: "What is the code word?" }),
    ]);
    return turns.flatMap(({ errors, final }) => [...errors, ...check(response, final)]);
  },
  "websocket-reconnect-store-false-recovery": async (target) => {
    const [first] = await talk(target, [
      { store: false, input: "Remember the code word: copper. Reply with OK." },
    ]);
    const [again, recovered] = await talk(target, [
      { store: false, previous_response_id: first.final?.id, input: "Try to continue." },
      { store: false, input: [message("user", "Start a new response and reply with exactly: recovered")] },
    ]);
    return [...isWhole(first), ...isNotFound(again), ...isWhole(recovered)];
  },
  "websocket-previous-response-not-found": async (target) => {
    const id = `resp_openresponses_missing_${Date.now()}`;
    const [turn] = await talk(target, [
      { store: false, previous_response_id: id, input: "This should fail." },
    ]);
    return isNotFound(turn);
  },
  "websocket-failed-continuation-evicts-cache": async (target) => {
    const call_id = "call_openresponses_missing";
    const orphan = { type: "function_call_output", call_id, output: "No matching tool call exists." };
    const next =
      (input) =>
      ([first]) => ({ store: false, previous_response_id: first.final?.id, input });
    const [first, failed, stale] = await talk(target, [
      { store: false, input: "Remember the code word: ember. Reply with OK." },
      next([orphan]),
      next("Try to continue after the failed turn."),
    ]);
    const hasFailed = failed.error !== undefined || failed.final?.status === "failed";
    return [...isWhole(first), ...missing(hasFailed, "a failed second turn"), ...isNotFound(stale)];
  },
  "websocket-compact-new-chain": async (target) => {
    const input = [
      message("user", [{ type: "input_text", text: "Remember the compaction code word: slate." }]),
      message("assistant", [{ type: "output_text", text: "OK." }]),
      message("user", [{ type: "input_text", text: "Compress this conversation for later continuation." }]),
    ];
    const { status, value } = await post(target, "/responses/compact", { model: target.model, input });
    if (status !== 200) return [`status ${status}: ${JSON.stringify(value)}`];
    const [turn] = await talk(target, [
      { store: false, input: [...value.output, message("user", "Continue from here.")], tools: [] },
    ]);
    return isWhole(turn);
  },
};

export const testIds = Object.keys(TESTS);

/**
 * Runs the tests against `{baseUrl, apiKey, model}`; `baseUrl` ends in `/v1`. Returns `{id, errors}` for each test.
 */
export async function runOpenResponses(target, ids = testIds) {
  const results = [];
  for (const id of ids) {
    const errors = await TESTS[id](target).catch((error) => [`threw ${error.message}`]);
    results.push({ id, errors });
  }
  return results;
}

function missing(isThere, what) {
  return isThere ? [] : [`expected ${what}`];
}

function hasType(value, type) {
  return value?.output?.some((item) => item.type === type) ?? false;
}

function isCompleted(value) {
  const problems = check(response, value);
  if (problems.length > 0) return problems;
  const { output, status, completed_at } = value;
  return [
    ...missing(output.length > 0, "output"),
    ...missing(status === "completed", `status completed instead of ${status}`),
    ...missing(completed_at !== null, "completed_at"),
  ];
}

function isWhole({ errors, final }) {
  return [...errors, ...isCompleted(final)];
}

function isNotFound({ errors, error, final }) {
  const code = error?.code ?? final?.error?.code;
  return [...errors, ...missing(code === "previous_response_not_found", `not found instead of ${code}`)];
}

function check(schema, value) {
  const { error } = schema.safeParse(value);
  return (error?.issues ?? []).map(({ path, message }) => `${path.join(".") || "(root)"}: ${message}`);
}

async function completes(target, body) {
  const { errors, value } = await create(target, body);
  return [...errors, ...(errors.length === 0 ? isCompleted(value) : [])];
}

async function create(target, body) {
  const { status, value } = await post(target, "/responses", { model: target.model, ...body });
  if (status !== 200) return { errors: [`status ${status}: ${JSON.stringify(value)}`], value };
  return { errors: check(response, value), value };
}

async function post(target, path, body) {
  const response = await send(target, path, body);
  return { status: response.status, value: await response.json() };
}

function send({ baseUrl, apiKey }, path, body) {
  const headers = { "content-type": "application/json", authorization: `Bearer ${apiKey}` };
  return fetch(`${baseUrl}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
}

async function stream(target, body) {
  const response = await send(target, "/responses", { model: target.model, ...body, stream: true });
  const text = await response.text();
  if (response.status !== 200) return { events: [], errors: [`status ${response.status}: ${text}`] };
  const blocks = text.split("\n\n").flatMap((block) => {
    const data = block.split("\n").flatMap((line) => (line.startsWith("data: ") ? [line.slice(6)] : []));
    return data.length === 0 || data[0] === "[DONE]" ? [] : [JSON.parse(data.join("\n"))];
  });
  return readEvents(blocks, httpEvent);
}

/** Checks the events of one response. */
function readEvents(events, schema) {
  const errors = events.flatMap((event) =>
    check(schema, event).map((problem) => `${event.type}: ${problem}`),
  );
  const last = events.at(-1);
  const error = last?.type === "error" ? last.error : undefined;
  if (error === undefined) {
    const isOrdered = events.every((event, index) => event.sequence_number === index);
    errors.push(...missing(isOrdered, "sequence numbers from 0 without a gap"));
    errors.push(...missing(FINAL.has(last?.type), `a last event instead of ${last?.type}`));
  }
  return { events, errors, final: FINAL.has(last?.type) ? last.response : undefined, error };
}

/** Sends events over a WebSocket, each after the response to the previous one. */
function talk({ baseUrl, apiKey, model }, steps) {
  const url = `${baseUrl.replace(/^http/, "ws")}/responses`;
  const client = new WebSocket(url, { headers: { authorization: `Bearer ${apiKey}` } });
  return new Promise((resolve, reject) => {
    const turns = [];
    let events = [];
    const timer = setTimeout(() => fail(new Error("no last event in time")), TURN_TIMEOUT_MS * steps.length);
    const fail = (error) => {
      clearTimeout(timer);
      client.terminate();
      reject(error);
    };
    const next = () => {
      const step = steps[turns.length];
      if (step === undefined) {
        clearTimeout(timer);
        client.close();
        resolve(turns);
        return;
      }
      events = [];
      const body = typeof step === "function" ? step(turns) : step;
      client.send(JSON.stringify({ type: "response.create", model, ...body }));
    };
    client.once("open", next);
    client.on("message", (data) => {
      const event = JSON.parse(data.toString());
      events.push(event);
      if (!FINAL.has(event.type) && event.type !== "error") return;
      turns.push(readEvents(events, webSocketEvent));
      next();
    });
    client.once("error", fail);
    client.once("close", () => fail(new Error("closed before the last event")));
  });
}
