import type { BedrockPlatform, UpstreamConfig } from "../../../config/proxy/config.ts";
import { AppError } from "../../../errors.ts";
import { serializeLine } from "../../../sse/serialize.ts";
import { defined } from "../../exchange/defined.ts";
import { asObject, stringifyJson, tryParseJson } from "../../exchange/json.ts";
import { toAnthropicError } from "./anthropic-errors.ts";
import { findToolNames, toConverse } from "./bedrock-converse.ts";
import { type ConverseCall, ConverseEvents, fromConverse } from "./bedrock-converse-response.ts";
import { EventStreamDecoder, type StreamMessage } from "./event-stream.ts";
import type { PlatformChanges, PlatformRequest, ResponseChanges, StreamConverter } from "./platform.ts";
import type { RejectedResponse } from "./repeatable-response.ts";

/**
 * The version of Anthropic's API that Bedrock requires in each request.
 * https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages.html
 */
const ANTHROPIC_VERSION = "bedrock-2023-05-31";

/** The API version that Amazon Bedrock accepts for Claude 4.7 and later only. */
const NEW_VERSION = "2026-10-21";

/** Matches the ids of Claude models, which accept Anthropic's own request (InvokeModel). Other models use Converse. */
const IS_CLAUDE = /(?:^|[./:])anthropic[.]/;

/**
 * Returns the changes that convert a request to Amazon Bedrock's form: InvokeModel for Claude, Converse for other
 * models, CountTokens, and the control plane for the list of models. OpenAI-compatible operations stay unchanged.
 */
export function toBedrock(
  request: PlatformRequest,
  upstream: UpstreamConfig,
  platform: BedrockPlatform,
): PlatformChanges {
  if (request.method === "GET" && /^\/models(\?|$)/.test(request.path)) return listModels(platform);
  return FORMS[upstream.dialect]?.(request, upstream) ?? {};
}

type Form = (request: PlatformRequest, upstream: UpstreamConfig) => PlatformChanges;

/** The dialects whose requests Amazon Bedrock accepts only in another form. */
const FORMS: Readonly<Partial<Record<UpstreamConfig["dialect"], Form>>> = { messages: toModelOperation };

/** Returns the changes that convert a request of `messages` to an operation of one model. */
function toModelOperation(request: PlatformRequest, upstream: UpstreamConfig): PlatformChanges {
  const { model, stream, ...members } = request.body ?? {};
  if (typeof model !== "string" || model === "")
    throw new AppError("validation", "The request names no model");
  const path = `/model/${encodeURIComponent(model)}`;
  const headers = {
    "anthropic-version": undefined,
    "anthropic-beta": undefined,
    "content-type": "application/json",
    accept: stream === true ? "application/vnd.amazon.eventstream" : "application/json",
  };
  const given = readBetas(request.headers);
  const isKnown = (name: string) =>
    KNOWN_BETAS.has(name) || (name === BINDING_BETA && bindsThinking(members));
  const known = onlyKnownBetas.has(upstream) ? given.filter(isKnown) : given;
  const anthropic_beta = known.length === 0 ? undefined : known;
  const anthropic_version = chooseVersion(model, request.headers["anthropic-version"]);
  const claude = defined({ anthropic_version, anthropic_beta, ...members });
  if (request.path.startsWith("/messages/count_tokens"))
    return { path: `${path}/count-tokens`, headers, ...toCountTokens(model, claude, members) };
  if (IS_CLAUDE.test(model)) {
    const operation = stream === true ? "invoke-with-response-stream" : "invoke";
    const repeat = ({ status, body }: RejectedResponse) => {
      if (status !== 400 || known.every(isKnown)) return undefined;
      if (!/invalid beta flag/i.test(body.toString())) return undefined;
      onlyKnownBetas.add(upstream);
      return toModelOperation(request, upstream);
    };
    return { path: `${path}/${operation}`, headers, body: claude, response: invokeResponse, repeat };
  }
  const operation = stream === true ? "converse-stream" : "converse";
  return {
    path: `${path}/${operation}`,
    headers,
    body: toConverse(model, members),
    response: converseResponse({
      model,
      toolNames: findToolNames(members),
      stopSequence: findOnly(members["stop_sequences"]),
    }),
  };
}

/**
 * Returns the API version, which Bedrock expects as a member of the body: the requested one if it is new and the
 * model's id shows that the model accepts it. Otherwise, returns Bedrock's own version, in which a request of the new
 * version is valid.
 */
function chooseVersion(model: string, asked = ""): string {
  if (asked < NEW_VERSION) return ANTHROPIC_VERSION;
  const [, major, minor = "0"] = /claude-[a-z]+-(\d{1,2})(?:-(\d{1,2}))?(?!\d)/.exec(model) ?? [];
  return Number(major) + Number(minor) / 100 >= 4.07 ? asked : ANTHROPIC_VERSION;
}

/** Returns the beta features, which Anthropic's API expects in a header and Bedrock as a member of the body. */
function readBetas({ "anthropic-beta": header }: Readonly<Record<string, string>>): readonly string[] {
  const names = (header ?? "").split(",").map((name) => name.trim());
  return names.filter((name) => name !== "");
}

/**
 * The beta features that Bedrock documents. Other features are sent only until Bedrock rejects a request with one of
 * them, because its error does not name the rejected feature.
 * https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages-request-response.html
 */
const KNOWN_BETAS: ReadonlySet<string> = new Set([
  "computer-use-2024-10-22",
  "computer-use-2025-01-24",
  "computer-use-2025-11-24",
  "context-1m-2025-08-07",
  "context-management-2025-06-27",
  "dev-full-thinking-2025-05-14",
  "effort-2025-11-24",
  "interleaved-thinking-2025-05-14",
  "output-128k-2025-02-19",
  "token-efficient-tools-2025-02-19",
  "tool-examples-2025-10-29",
  "tool-search-tool-2025-10-19",
]);

/**
 * The beta feature of `thinking.block_binding`, without which Bedrock rejects that member. Only the models that bind
 * thinking accept it.
 * https://docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-thinking-block-binding.html
 */
const BINDING_BETA = "thinking-binding-controls-2026-08-01";

function bindsThinking({ thinking }: Readonly<Record<string, unknown>>): boolean {
  return asObject(thinking)["block_binding"] !== undefined;
}

/** Upstreams that have rejected a beta feature, until the configuration is reloaded. */
const onlyKnownBetas = new WeakSet<UpstreamConfig>();

/**
 * Returns the body of a request that counts tokens, and the converter of its response.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_CountTokens.html
 */
function toCountTokens(
  model: string,
  claude: object,
  members: Readonly<Record<string, unknown>>,
): Pick<PlatformChanges, "body" | "response"> {
  const toInvokeModel = () => ({
    body: Buffer.from(stringifyJson({ max_tokens: 1, ...claude })).toString("base64"),
  });
  return {
    body: {
      input: IS_CLAUDE.test(model)
        ? { invokeModel: toInvokeModel() }
        : { converse: toConverse(model, members) },
    },
    response: {
      convertWhole: (body) => ({
        input_tokens: (Object(body) as { inputTokens?: unknown }).inputTokens ?? 0,
      }),
      convertError,
    },
  };
}

const convertError: ResponseChanges["convertError"] = (status, headers, body) => {
  // The header begins with the name of the exception: `ThrottlingException:http://…`.
  const name = headers["x-amzn-errortype"]?.toString().split(":")[0] ?? "";
  return toAnthropicError(STATUS_OF_EXCEPTION[name] ?? status, body);
};

/** HTTP statuses by exception, because errors within a stream have no status. */
const STATUS_OF_EXCEPTION: Readonly<Record<string, number>> = {
  ThrottlingException: 429,
  ServiceQuotaExceededException: 429,
  ServiceUnavailableException: 503,
  ModelNotReadyException: 503,
  ModelTimeoutException: 504,
  ModelStreamErrorException: 500,
  ModelErrorException: 500,
  InternalServerException: 500,
  ValidationException: 400,
  AccessDeniedException: 403,
  ResourceNotFoundException: 404,
};

const invokeResponse: ResponseChanges = {
  decodeStream: (headers) => decodeWith(headers, readChunk),
  convertError,
};

function findOnly(list: unknown): unknown {
  return Array.isArray(list) && list.length === 1 ? list[0] : undefined;
}

function converseResponse(call: ConverseCall): ResponseChanges {
  return {
    decodeStream(headers) {
      const events = new ConverseEvents(call);
      return decodeWith(
        headers,
        (message) =>
          events.read(message.headers[":event-type"] ?? "", JSON.parse(message.payload.toString())),
        () => events.end(),
      );
    },
    convertWhole: (body) => fromConverse(call, body),
    convertError,
  };
}

/** Returns the events in a message of InvokeModel, which contains an event of Anthropic's API in base64. */
function readChunk({ payload }: StreamMessage): object[] {
  const { bytes } = JSON.parse(payload.toString()) as { bytes?: string };
  return bytes === undefined ? [] : [JSON.parse(Buffer.from(bytes, "base64").toString()) as object];
}

/** Returns a converter of an event stream to `messages` events; undefined if the response has another type. */
function decodeWith(
  headers: Parameters<NonNullable<ResponseChanges["decodeStream"]>>[0],
  read: (message: StreamMessage) => readonly object[],
  atEnd: () => readonly object[] = () => [],
): StreamConverter | undefined {
  if (!/^application\/vnd\.amazon\.eventstream\b/.test(headers["content-type"] ?? "")) return undefined;
  const decoder = new EventStreamDecoder();
  return {
    contentType: "text/event-stream; charset=utf-8",
    push: (bytes) =>
      toEvents(decoder.push(bytes).flatMap((message) => readException(message) ?? read(message))),
    end() {
      if (!decoder.isComplete) throw new Error("it ends within a message");
      return toEvents(atEnd());
    },
  };
}

/** Returns the error event of an exception; undefined for any other message. */
function readException({ headers, payload }: StreamMessage): object[] | undefined {
  const type = headers[":exception-type"] ?? headers[":error-code"];
  if (type === undefined) return undefined;
  const name = `${type.charAt(0).toUpperCase()}${type.slice(1)}`;
  const body = tryParseJson(payload.toString()) ?? { message: headers[":error-message"] ?? name };
  return [toAnthropicError(STATUS_OF_EXCEPTION[name] ?? 500, body) as object];
}

function toEvents(events: readonly object[]): Buffer {
  const lines = events.map((event) =>
    serializeLine(JSON.stringify(event), (event as { type?: string }).type),
  );
  return Buffer.from(lines.join(""));
}

/**
 * Returns the changes for a request that lists the account's inference profiles, up to 1,000, as models.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_ListInferenceProfiles.html
 */
function listModels({ controlUrl }: BedrockPlatform): PlatformChanges {
  return {
    baseUrl: controlUrl,
    path: "/inference-profiles?maxResults=1000",
    response: {
      convertWhole(body) {
        const { inferenceProfileSummaries: profiles } = Object(body) as {
          inferenceProfileSummaries?: unknown;
        };
        const data = (Array.isArray(profiles) ? profiles : []).map(
          ({ inferenceProfileId: id, inferenceProfileName: name }: Record<string, unknown>) => ({
            id,
            type: "model",
            display_name: name ?? id,
          }),
        );
        return { data };
      },
      convertError,
    },
  };
}
