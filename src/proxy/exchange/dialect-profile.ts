import type { Capabilities } from "./capabilities.ts";
import type { EncodedError } from "./codec.ts";
import type { ExchangeError } from "./error.ts";
import type { Usage } from "./response.ts";
import type { CallIdRule } from "./tool-call-id.ts";

/** Facts about a dialect that the native lane, routing, errors and model lists use without loading its codec. */
export interface DialectProfile<Upstream extends UpstreamProfile | undefined = UpstreamProfile | undefined> {
  /** Name of the dialect and of its folder. */
  readonly name: string;
  /** The upstream dialect that accepts this dialect's requests unchanged. It can be this dialect itself. */
  readonly nativeUpstream: string;
  readonly client: ClientProfile;
  readonly response: ResponseProfile;
  /** Facts about upstreams; absent for a dialect that no upstream uses. */
  readonly upstream: Upstream;
  /** Form of embeddings, images and transcription; absent for a dialect that has none of them. */
  readonly mediaForm?: "openai" | "google";
  /** Whether responses are stored under their id and can be read, continued and deleted (`/v1/responses/{id}`). */
  readonly storesResponses: boolean;
  /** Request member that holds the list of turns; absent for a dialect without turns. */
  readonly turnsMember?: string;
  /** Ids of tool calls that the dialect accepts. */
  readonly callIds: CallIdRule;
}

/** The operation of a route of model calls. */
export type ModelOperation =
  | "generate"
  | "count-tokens"
  | "embed"
  | "image-generation"
  | "image-edit"
  | "transcription"
  /** `POST /v1beta/models/{model}:{method}`: the method at the path's end selects one of the other operations. */
  | "by-method"
  /** Reads, deletes or cancels a stored response, or returns its input. */
  | "stored-response"
  /** Compacts a conversation. */
  | "compact";

/** A route that the clients of a dialect call. */
export interface DialectRoute {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly operation: ModelOperation | "list-models" | "get-model" | "websocket";
  /** `whole`: read before routing; `streamed`: like `whole`, but a form is streamed; `ignored`: not read. */
  readonly body: "whole" | "streamed" | "ignored";
  /** Whether the route serves only paths that end with `:` and a method. */
  readonly needsMethod?: true;
}

/** Facts about the clients of a dialect. */
export interface ClientProfile {
  readonly routes: readonly DialectRoute[];
  /** Request header by which clients of this dialect are detected on a path that several dialects share. */
  readonly callerHeader?: string;
  /** Matches paths that have no route but whose errors use this dialect's envelope. */
  readonly errorPaths?: RegExp;
  /** Whether the path, not the body, names the model and the operation. */
  readonly namesModelInPath: boolean;
  /** Prefix of a model's name in the body, which clients can leave out. */
  readonly modelPrefix?: string;
  /** Whether clients can send the proxy's key as `?key=`. */
  readonly acceptsKeyInQuery: boolean;
  /** Response header in which SDKs look for the request id. */
  readonly requestIdHeader?: string;
  /** The text that is written to a silent stream to keep it open; empty if clients accept no such text. */
  readonly keepAlive: string;
  /** The name of the operation `generate` in OpenTelemetry's GenAI conventions. */
  readonly generateOperation: "chat" | "text_completion" | "generate_content";
  /** The vendor whose rate-limit headers the dialect uses; absent for a dialect without such headers. */
  readonly rateLimitHeaders?: "openai" | "anthropic";
  /** Whether clients accept comments in an event stream. */
  readonly acceptsComments: boolean;
  /** Whether most clients leave out the reasoning when they send the model's messages back. */
  readonly forgetsReasoning?: true;
  /** How the vendor counts the tokens of an image. */
  readonly imageTokens: "pixels" | "tiles";
  /** Prefix of every signature that was wrapped for clients of this dialect. */
  readonly signaturePrefix: string;
  readonly modelList: ModelListFormat;
  encodeTokenCount(tokens: number): Readonly<Record<string, unknown>>;
  /** Encodes an error of an upstream or of a translation for a client of this dialect. */
  encodeError(error: ExchangeError, requestId?: string): EncodedError;
  /** Returns the body of an error of the proxy itself; `code` is from the error catalog. */
  encodeProxyError(error: ExchangeError, code: string | undefined, requestId: string): unknown;
  /** Returns the last event of a stream that ends with an error of the proxy, in event-stream format. */
  encodeProxyErrorEvent(error: ExchangeError, code: string | undefined, requestId: string): string;
}

/** Facts about responses that are needed to read them without a codec. */
export interface ResponseProfile {
  /** Strings that only a stream's last events contain. A string without a quote or line ending must be a whole line. */
  readonly endMarkers: readonly string[];
  /** Strings of which an error inside a response with status 200 contains at least one. */
  readonly errorMarkers: readonly string[];
  /** Returns the object with the error's details if `value`, an event or a response, is an error. */
  findError(value: Readonly<Record<string, unknown>>): unknown;
  /** Name of the member that holds token counts. */
  readonly usageMember: string;
  /** Whether a stream reports its input tokens in the first event, not only at the end. */
  readonly reportsUsageAtStart: boolean;
  /** Reads token counts from the usage member. */
  readUsage(raw: object): Usage;
  /** Matches each reason why a response has ended (flag `g`); the reason is the first group that is set. */
  readonly finishReason: RegExp;
  /** Matches the name of the model that has responded; the name is the first group. */
  readonly modelName: RegExp;
}

/** Facts about the upstreams of a dialect. */
export interface UpstreamProfile {
  /** Path segment appended to a base URL that names no API version. */
  readonly versionPath: string;
  /** Whether some vendors serve this dialect without an API version in the path. */
  readonly hasVersionlessVendors: boolean;
  /** Header for the API key; `prefix` stands before the key. */
  readonly keyHeader: { readonly name: string; readonly prefix: string };
  /** The version header that is sent if the client's request has none. */
  readonly versionHeader?: readonly [name: string, value: string];
  /** Returns whether a request of API version `client` is valid in version `upstream`. */
  acceptsVersion?(client: string, upstream: string): boolean;
  /** Returns the capabilities that an API version overrides for every model. */
  limitsOf?(version: string): Partial<Capabilities>;
  /** The dialect's own vendor, as OpenTelemetry's GenAI conventions name it. */
  readonly providerName: string;
  /** Prefix of the vendor's own request headers. */
  readonly headerPrefix: string;
  /** Query of `GET /models` for the largest page; empty if the list has no pages. */
  readonly modelListQuery: string;
  /** Whether a stream reports usage only if the request sets `stream_options.include_usage`. */
  readonly reportsUsageOnRequest: boolean;
  /** Whether the upstream can compact a conversation. */
  readonly compactsConversations: boolean;
  /** Whether upstreams can stream responses over a WebSocket. */
  readonly hasWebSocketMode: boolean;
  /** Capabilities of a model before `capabilitiesFor` applies overrides, such as those of the configuration. */
  readonly capabilities: Capabilities;
  /** Whether models named `vendor/model` are served by a gateway that requires `reasoning_details` of earlier turns. */
  readonly hasGateways: boolean;
  /** Where the instructions of a request without turns are sent. */
  readonly instructionsWithoutTurns: "instructions" | "system-turn" | "user-turn";
  /** Whether strict schemas are limited to OpenAI's subset of JSON Schema. */
  readonly restrictsStrictSchemas: boolean;
  /** Whether the root of a response schema can be of a type other than object. */
  readonly acceptsAnySchemaRoot: boolean;
  /** Whether a request can ask for JSON without a schema. */
  readonly acceptsJsonWithoutSchema: boolean;
  /** Whether a tool call can be forced while the model thinks. */
  readonly forcesCallsWhileThinking: boolean;
  /** Whether a request can limit the model to one tool call at a time. */
  readonly limitsToolCalls: boolean;
  /** Request member for the number of candidates; absent if a call returns only one. */
  readonly candidatesMember?: string;
  /**
   * Members of a tool that are not reported as losses, in addition to name, description, schema and `strict`. All
   * dialects list `namespace`: in dialects without namespaces, functions have qualified names.
   */
  readonly toolMembers: readonly string[];
  /** Returns a request with the smallest output limit that the vendor accepts, for a warm-up. */
  createSmallestCall(model: string, maxTokensName: string): UpstreamRequestBody;
  /** Returns the request that counts the tokens of a generate request; absent if upstreams have no such route. */
  createCountCall?(model: string, body: Readonly<Record<string, unknown>>): UpstreamRequestBody;
}

/** A JSON body, and the path after the base URL and its version. */
export interface UpstreamRequestBody {
  readonly path: string;
  readonly body: unknown;
}

/** A model as described in model lists. */
export interface ListedModel {
  readonly id: string;
  readonly displayName: string;
  /** Seconds since 1970; 0 if unknown. */
  readonly created: number;
  readonly ownedBy: string;
}

/** Encodes the model list of a dialect. Dialects with the same form share one object. */
export interface ModelListFormat {
  describe(model: ListedModel): object;
  /** Returns the page that `query` requests. Throws `validation` for an invalid page size or position. */
  createPage<Model extends ListedModel>(
    models: readonly Model[],
    query: Readonly<Record<string, unknown>>,
    describe: (model: Model) => unknown,
  ): unknown;
}
