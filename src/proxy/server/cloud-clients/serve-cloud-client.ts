import type { IncomingHttpHeaders } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "../../../errors.ts";
import { collectKeys } from "../../auth/credentials.ts";
import { BodyShare } from "../../body/body-memory.ts";
import { readBody } from "../../body/read-body.ts";
import { keyHeaders } from "../../dialects/index.ts";
import { isObject, type Json } from "../../exchange/json.ts";
import { callAgain } from "../../pipeline/call-again.ts";
import { parseBounded } from "../../pipeline/call-body.ts";
import { NO_FACTS } from "../../routing/call-facts.ts";
import type { Runtime } from "../../runtime.ts";
import type { Services } from "../../services.ts";
import { bedrockClient } from "./bedrock-client.ts";
import { type CloudClient, listNames, type MessagesCall, pickCountedMembers } from "./cloud-client.ts";

/**
 * Converts calls to Claude on Google Vertex AI: `…/publishers/anthropic/models/{model}:rawPredict` and
 * `:streamRawPredict`. Responses and errors have Anthropic's own form.
 * https://docs.cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude/use-claude
 */
const vertexClient: CloudClient = {
  platform: "vertex",
  readCall(params, _operation, { anthropic_version: version, anthropic_beta, ...body }) {
    const [, model = "", method = ""] = /^([^:]+):(\w+)$/.exec(params["*"] ?? "") ?? [];
    const betas = listNames(anthropic_beta);
    if (method !== "rawPredict" && method !== "streamRawPredict")
      throw new AppError("not_found", "Unknown method; use rawPredict or streamRawPredict");
    if (model === "count-tokens") {
      const counted = { ...pickCountedMembers(body), model: body["model"] };
      return { path: "/v1/messages/count_tokens", body: counted, betas, version };
    }
    const stream = method === "streamRawPredict" || body["stream"] === true;
    return { path: "/v1/messages", body: { ...body, model, stream }, betas, version };
  },
  toAnthropicName: (model) => model.replace(/@default$/, "").replace("@", "-"),
  convert: async (response) => ({ status: response.statusCode ?? 502, headers: {}, body: response }),
};

/** The clients by the operation of their routes. */
const CLIENTS = { "bedrock-client": bedrockClient, "vertex-client": vertexClient } as const;

/**
 * Serves a call of a cloud platform's client. Converts it to a call in the `messages` dialect that the proxy sends to
 * itself, so that limits, rules, recording and translation apply as to every other call.
 */
export async function serveCloudClient(
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
  platformClient: keyof typeof CLIENTS,
): Promise<FastifyReply> {
  const client = CLIENTS[platformClient];
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
    headers: toInternalHeaders(request, call),
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
 * Returns the name by which the call is routed. This is the client's name if it selects an upstream on the client's
 * platform or an upstream that receives another name. Otherwise it is Anthropic's name, unless that name selects a
 * different upstream.
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

/** Matches the headers of platforms' clients that concern only the platform. */
const PLATFORM_HEADER = /^(?:x-amz-|x-amzn-|amz-sdk-|x-goog-(?!api-key))/;

const CREDENTIALS: ReadonlySet<string> = new Set(["authorization", "x-gen-api-key", ...keyHeaders]);

/**
 * Returns the headers of the internal call: without those of the platform, and without credentials other than keys of
 * the proxy, so that they never reach another vendor.
 */
function toInternalHeaders(
  { headers, runtime }: FastifyRequest,
  { betas, version }: Pick<MessagesCall, "betas" | "version">,
): IncomingHttpHeaders {
  const passed: IncomingHttpHeaders = {};
  for (const [name, value] of Object.entries(headers)) {
    const isForeign =
      CREDENTIALS.has(name) && runtime.keys.find(collectKeys({ [name]: value }, "", false)) === undefined;
    if (!PLATFORM_HEADER.test(name) && !isForeign) passed[name] = value;
  }
  const all = new Set([...listNames(headers["anthropic-beta"]?.toString()), ...betas]);
  if (all.size > 0) passed["anthropic-beta"] = [...all].join(",");
  // The platforms' versions, bedrock-2023-05-31 and vertex-2023-10-16, correspond to 2023-06-01.
  passed["anthropic-version"] = /^\d{4}-\d\d-\d\d$/.test(String(version)) ? String(version) : "2023-06-01";
  return passed;
}

const NOT_PASSED = new Set(["connection", "content-length", "date", "keep-alive", "transfer-encoding"]);

function toPassedHeaders(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const passed: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && !NOT_PASSED.has(name)) passed[name] = value;
  return passed;
}
