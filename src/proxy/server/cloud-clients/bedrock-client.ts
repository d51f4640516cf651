import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { AppError } from "../../../errors.ts";
import { createSseParser } from "../../../sse/parse.ts";
import { asObject, isObject, type Json, parseJson, tryParseJson } from "../../exchange/json.ts";
import { encodeStreamMessage } from "../../upstream/platforms/event-stream.ts";
import { toExceptionName } from "./bedrock-exceptions.ts";
import {
  type ClientResponse,
  type CloudClient,
  listNames,
  type MessagesCall,
  pickCountedMembers,
  readJson,
} from "./cloud-client.ts";

/**
 * Converts calls to Claude on Amazon Bedrock: InvokeModel, InvokeModelWithResponseStream and CountTokens.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModel.html
 */
export const bedrockClient: CloudClient = {
  platform: "bedrock",
  readCall({ model = "" }, operation, body) {
    if (operation === "count-tokens") return readCountCall(model, body);
    const { anthropic_version: version, anthropic_beta, ...members } = body;
    const stream = operation === "invoke-with-response-stream";
    const betas = listNames(anthropic_beta);
    return { path: "/v1/messages", body: { ...members, model, stream }, betas, version };
  },
  toAnthropicName(model) {
    const [, name] = /(?:^|[./])anthropic\.(claude-[\w.-]+?)(?:-v\d+)?(?::[\w:]+)?$/.exec(model) ?? [];
    return name ?? model;
  },
  async convert(response, call) {
    const status = response.statusCode ?? 502;
    if (status >= 400) return convertError(response, status);
    const type = response.headers["content-type"] ?? "";
    return type.startsWith("text/event-stream")
      ? { status, headers: STREAM_HEADERS, body: Readable.from(encodeStream(response)) }
      : convertWhole(response, status, call);
  },
};

const STREAM_HEADERS = {
  "content-type": "application/vnd.amazon.eventstream",
  "x-amzn-bedrock-content-type": "application/json",
};

/**
 * Parses the body of a request that counts tokens.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_CountTokens.html
 */
function readCountCall(model: string, { input }: Json): MessagesCall {
  const { invokeModel } = asObject(input);
  const { body: encoded } = asObject(invokeModel);
  if (typeof encoded !== "string")
    throw new AppError("validation", "input.invokeModel.body is missing; input.converse is not supported");
  let body: unknown;
  try {
    body = parseJson(Buffer.from(encoded, "base64").toString());
  } catch (cause) {
    throw new AppError("validation", "input.invokeModel.body is not JSON in base64", { cause });
  }
  const members = asObject(body);
  return {
    path: "/v1/messages/count_tokens",
    body: { ...pickCountedMembers(members), model },
    betas: listNames(members["anthropic_beta"]),
    version: members["anthropic_version"],
  };
}

async function convertError(response: IncomingMessage, status: number): Promise<ClientResponse> {
  const { text, value } = await readJson(response);
  const error = isObject(value["error"]) ? value["error"] : value;
  const message = typeof error["message"] === "string" ? error["message"] : text;
  const headers = {
    "content-type": "application/json",
    "x-amzn-errortype": toExceptionName(status, String(error["type"])),
  };
  // Anthropic returns 529 for overloaded models. AWS does not use this status.
  return { status: status === 529 ? 503 : status, headers, body: JSON.stringify({ message }) };
}

async function convertWhole(
  response: IncomingMessage,
  status: number,
  { path }: MessagesCall,
): Promise<ClientResponse> {
  const { text, value } = await readJson(response);
  const type = { "content-type": "application/json" };
  if (path === "/v1/messages/count_tokens")
    return { status, headers: type, body: JSON.stringify({ inputTokens: value["input_tokens"] }) };
  const usage = asObject(value["usage"]);
  const headers = {
    ...type,
    "x-amzn-bedrock-input-token-count": String(usage["input_tokens"] ?? 0),
    "x-amzn-bedrock-output-token-count": String(usage["output_tokens"] ?? 0),
  };
  return { status, headers, body: text };
}

/** Encodes server-sent events as messages of AWS's event stream. An error becomes an exception and ends the stream. */
async function* encodeStream(response: IncomingMessage): AsyncGenerator<Buffer> {
  const parser = createSseParser();
  const startedAt = performance.now();
  const usage = { input: 0, output: 0, firstByteMs: 0 };
  for await (const bytes of response) {
    for (const { event, data } of parser.push(bytes as Buffer)) {
      if (event === "error") {
        yield encodeException(data);
        return;
      }
      if (usage.firstByteMs === 0) usage.firstByteMs = Math.round(performance.now() - startedAt);
      yield encodeChunk(event === "message_stop" ? withMetrics(usage, startedAt) : data);
      if (event === "message_start" || event === "message_delta") addUsage(data, usage);
    }
  }
}

interface CountedUsage {
  input: number;
  output: number;
  firstByteMs: number;
}

function addUsage(data: string, counted: CountedUsage): void {
  const event = parseJson(data);
  if (!isObject(event)) return;
  const message = isObject(event["message"]) ? event["message"] : event;
  const usage = asObject(message["usage"]);
  const { input_tokens: input, output_tokens: output } = usage;
  if (typeof input === "number") counted.input = input;
  if (typeof output === "number") counted.output = output;
}

/** Returns the last event of a stream. Adds Bedrock's metrics, from which Bedrock's clients read the usage. */
function withMetrics({ input, output, firstByteMs }: CountedUsage, startedAt: number): string {
  return JSON.stringify({
    type: "message_stop",
    "amazon-bedrock-invocationMetrics": {
      inputTokenCount: input,
      outputTokenCount: output,
      invocationLatency: Math.round(performance.now() - startedAt),
      firstByteLatency: firstByteMs,
    },
  });
}

function encodeChunk(event: string): Buffer {
  return encodeMessage(
    { ":event-type": "chunk", ":message-type": "event" },
    {
      bytes: Buffer.from(event).toString("base64"),
    },
  );
}

function encodeException(data: string): Buffer {
  const error = asObject(asObject(tryParseJson(data))["error"]);
  const name = toExceptionName(500, String(error["type"]), "ModelStreamErrorException");
  const type = `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
  const message = typeof error["message"] === "string" ? error["message"] : "The stream was cut off.";
  return encodeMessage({ ":exception-type": type, ":message-type": "exception" }, { message });
}

function encodeMessage(headers: Readonly<Record<string, string>>, payload: Json): Buffer {
  return encodeStreamMessage({
    headers: { ...headers, ":content-type": "application/json" },
    payload: Buffer.from(JSON.stringify(payload)),
  });
}
