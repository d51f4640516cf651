import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { text as readText } from "node:stream/consumers";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { PlatformConfig } from "../../../config/proxy/config.ts";
import { AppError } from "../../../errors.ts";
import { BodyShare } from "../../body/body-memory.ts";
import { readBody } from "../../body/read-body.ts";
import { keyHeaders } from "../../dialects/index.ts";
import { asObject, isObject, type Json, tryParseJson } from "../../exchange/json.ts";
import { callAgain } from "../../pipeline/call-again.ts";
import { parseBounded } from "../../pipeline/call-body.ts";
import { NO_FACTS } from "../../routing/call-facts.ts";
import type { Runtime } from "../../runtime.ts";
import type { Services } from "../../services.ts";

/** The call of the messages dialect into which the call of a cloud platform's client is converted. */
export interface MessagesCall {
  readonly path: "/v1/messages" | "/v1/messages/count_tokens";
  readonly body: Json;
  /** Beta features that the client has named in the body. */
  readonly betas: readonly string[];
}

/** The response to a platform's client. */
export interface ClientResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | Readable;
}

/** Converts calls of Claude by a platform's clients. */
export interface CloudClient {
  readonly platform: PlatformConfig["kind"];
  /** Converts a request. `operation` is the last segment of the path. Throws `validation` and `not_found`. */
  readCall(params: Readonly<Record<string, string>>, operation: string, body: Json): MessagesCall;
  /** Returns Anthropic's name of a model that the platform names. */
  toAnthropicName(model: string): string;
  /** Converts Anthropic's response to the platform's form. */
  convert(response: IncomingMessage, call: MessagesCall): Promise<ClientResponse>;
}

/**
 * Serves a client of a cloud platform: makes a call of the messages dialect to the proxy itself, so that limits, rules,
 * recording and translation apply to it as to every call.
 */
export async function serveCloudClient(
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
  client: CloudClient,
): Promise<FastifyReply> {
  const { runtime } = request;
  const members = await readMembers(request, services);
  const operation = request.routeOptions.config.route?.path.replace(/^.*\//, "") ?? "";
  const call = client.readCall(request.params as Record<string, string>, operation, members);
  const model = await chooseName(String(call.body["model"]), client, runtime);
  const controller = new AbortController();
  reply.raw.once("close", () => controller.abort());
  const sending = callAgain(services, {
    request: request.raw,
    path: call.path,
    headers: toInternalHeaders(request, call.betas),
    body: { ...call.body, model },
    signal: controller.signal,
  });
  const response = await sending.catch((error: unknown) => {
    if (!controller.signal.aborted) throw error;
  });
  // The client has disconnected.
  if (response === undefined) return reply.hijack();
  const { status, headers, body } = await client.convert(response, call);
  return reply.code(status).headers(toPassedHeaders(response.headers)).headers(headers).send(body);
}

async function readMembers({ raw, runtime }: FastifyRequest, { memory }: Services): Promise<Json> {
  const { limits } = runtime.config;
  const share = new BodyShare(memory);
  try {
    const bytes = await readBody(raw, limits.body, { share, max: limits.inFlight });
    const value = await parseBounded(bytes);
    if (isObject(value)) return value;
  } finally {
    share.release();
  }
  throw new AppError("validation", "The body must be a JSON object");
}

/**
 * Returns the name under which the call is routed: the client's, or Anthropic's if the upstream is not on the client's
 * platform and no rule gives the model another name.
 */
async function chooseName(model: string, client: CloudClient, { selector }: Runtime): Promise<string> {
  const name = client.toAnthropicName(model);
  if (name === model) return model;
  const target = await selectFirst(model, selector);
  if (target !== undefined && (target.upstream.platform?.kind === client.platform || target.model !== model))
    return model;
  const other = await selectFirst(name, selector);
  return target === undefined || other?.upstream === target.upstream ? name : model;
}

async function selectFirst(model: string, selector: Runtime["selector"]) {
  const selection = await selector.select(model, "messages", NO_FACTS);
  return selection?.targets[0];
}

/** Headers of the platforms' clients, which concern only the platform. */
const PLATFORM_HEADER = /^(?:x-amz-|x-amzn-|amz-sdk-|x-goog-(?!api-key))/;

const CREDENTIALS: ReadonlySet<string> = new Set(["authorization", "x-gen-api-key", ...keyHeaders]);

/**
 * Returns the headers of the internal call, without the platform's credentials. A key that is not the proxy's is
 * removed too, so that it never reaches another vendor.
 */
function toInternalHeaders({ headers, key }: FastifyRequest, betas: readonly string[]): IncomingHttpHeaders {
  const passed: IncomingHttpHeaders = {};
  for (const [name, value] of Object.entries(headers)) {
    const isForeign = key === undefined && CREDENTIALS.has(name);
    if (!PLATFORM_HEADER.test(name) && !isForeign) passed[name] = value;
  }
  if (/^aws4-/i.test(passed.authorization ?? "")) delete passed.authorization;
  const all = new Set([...listNames(headers["anthropic-beta"]?.toString()), ...betas]);
  if (all.size > 0) passed["anthropic-beta"] = [...all].join(",");
  // The platforms have versions of their own.
  passed["anthropic-version"] = "2023-06-01";
  return passed;
}

const NOT_PASSED = new Set(["connection", "content-length", "date", "keep-alive", "transfer-encoding"]);

function toPassedHeaders(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const passed: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && !NOT_PASSED.has(name)) passed[name] = value;
  return passed;
}

/** Reads a whole response; its value is empty if it is not a JSON object. */
export async function readJson(response: IncomingMessage): Promise<{ text: string; value: Json }> {
  const text = await readText(response);
  return { text, value: asObject(tryParseJson(text)) };
}

/** Returns names in a member of the body or in a comma-separated text. */
export function listNames(value: unknown): readonly string[] {
  const names = typeof value === "string" ? value.split(",") : Array.isArray(value) ? value : [];
  const texts = names.filter((name): name is string => typeof name === "string");
  return texts.map((name) => name.trim()).filter((name) => name !== "");
}

/** Request members that `/v1/messages/count_tokens` takes besides the model. */
const COUNTED = ["messages", "system", "tools", "tool_choice", "thinking", "output_config", "mcp_servers"];

/** Returns the members of a request that count for its tokens. */
export function pickCountedMembers(body: Json): Json {
  return Object.fromEntries(COUNTED.flatMap((name) => (name in body ? [[name, body[name]]] : [])));
}
