import type { Capabilities } from "./capabilities.ts";
import type { EncodedError } from "./codec.ts";
import type { ExchangeError } from "./error.ts";
import type { Usage } from "./response.ts";
import type { CallIdRule } from "./tool-call-id.ts";

/** Facts about a dialect that are needed without its codec: by the native lane, routing, errors and model lists. */
export interface DialectProfile<Upstream extends UpstreamProfile | undefined = UpstreamProfile | undefined> {
  /** Name of the dialect and of its folder. */
  readonly name: string;
  /** Upstream dialect that accepts this dialect's requests unchanged: itself, or one that contains it. */
  readonly nativeUpstream: string;
  readonly client: ClientProfile;
  readonly response: ResponseProfile;
  /** Absent for a dialect that only clients speak. */
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
  /** `POST /v1beta/models/{model}:{method}`: the method at the path's end selects one of the others. */
  | "by-method"
  /** Reads, deletes or cancels a stored response, or returns its input. */
  | "stored-response"
  /** Compacts a conversation into a form that only its vendor can read. */
  | "compact";

/** A route that the clients of a dialect call. */
export interface DialectRoute {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly operation: ModelOperation | "list-models" | "get-model" | "websocket";
  /** `whole`: read before routing; `streamed`: forwarded as it arrives; `ignored`: not read. */
  readonly body: "whole" | "streamed" | "ignored";
  /** Whether the route takes only paths that end in `:` and a method. */
  readonly needsMethod?: true;
}

/** Facts about the clients of a dialect. */
export interface ClientProfile {
  readonly routes: readonly DialectRoute[];
  /** Request header that identifies callers of paths shared by several dialects. */
  readonly callerHeader?: string;
  /** Matches paths whose errors use this dialect's envelope although no route has the path. */
  readonly errorPaths?: RegExp;
  /** Whether the path, not the body, names the model and the operation. */
  readonly namesModelInPath: boolean;
  /** Prefix that a model's name may have in the body. */
  readonly modelPrefix?: string;
  /** Whether the proxy's key may come as `?key=`. */
  readonly acceptsKeyInQuery: boolean;
  /** Response header in which SDKs look for the request id. */
  readonly requestIdHeader?: string;
  /** Keep-alive written to a silent stream; empty if clients accept none. */
  readonly keepAlive: string;
  /** The operation of a generate call by OpenTelemetry's GenAI conventions. */
  readonly generateOperation: "chat" | "text_completion" | "generate_content";
  /** The vendor whose rate-limit headers the dialect uses; absent for a dialect without such headers. */
  readonly rateLimitHeaders?: "openai" | "anthropic";
  /** Whether event streams may contain comments. */
  readonly acceptsComments: boolean;
  /** Whether most clients drop the reasoning of a message when they send it back. */
  readonly forgetsReasoning?: true;
  /** How the vendor counts the tokens of an image. */
  readonly imageTokens: "pixels" | "tiles";
  /** Prefix of every signature that was wrapped for clients of this dialect. */
  readonly signaturePrefix: string;
  readonly modelList: ModelListFormat;
  encodeTokenCount(tokens: number): Readonly<Record<string, unknown>>;
  /** Encodes an upstream's error for a client of this dialect. */
  encodeError(error: ExchangeError, requestId?: string): EncodedError;
  /** Returns the body of an error of the proxy itself; `code` is from the error catalog. */
  encodeProxyError(error: ExchangeError, code: string | undefined, requestId: string): unknown;
  /** Returns the same error as the last event of a stream, in event-stream format. */
  encodeProxyErrorEvent(error: ExchangeError, code: string | undefined, requestId: string): string;
}

/** Describes how to read responses without parsing them completely. */
export interface ResponseProfile {
  /** Strings that only a stream's last events contain. */
  readonly endMarkers: readonly string[];
  /** Strings that an error inside a response with status 200 contains. */
  readonly errorMarkers: readonly string[];
  /** Returns the object with the error's details if `value`, an event or a response, is an error. */
  findError(value: Readonly<Record<string, unknown>>): unknown;
  /** Name of the member that holds token counts. */
  readonly usageMember: string;
  /** Whether a stream reports its input tokens in the first event, not only at the end. */
  readonly reportsUsageAtStart: boolean;
  /** Reads token counts from the usage member. */
  readUsage(raw: object): Usage;
  /** Matches the vendor's reason why a response has ended, in its first group that is set; with the flag `g`. */
  readonly finishReason: RegExp;
  /** Matches the name of the model that has responded, in its first group. */
  readonly modelName: RegExp;
}

/** Facts about upstreams that speak a dialect. */
export interface UpstreamProfile {
  /** Path segment appended to a base URL that names no API version. */
  readonly versionPath: string;
  /** Whether vendors other than the dialect's own serve it, some of them without a version in the path. */
  readonly hasVersionlessVendors: boolean;
  /** Header for the API key; `prefix` stands before the key. */
  readonly keyHeader: { readonly name: string; readonly prefix: string };
  /** Version header that every request needs; a client's own takes precedence. */
  readonly versionHeader?: readonly [name: string, value: string];
  /** Whether a request of API version `client` is valid in version `upstream`. */
  acceptsVersion?(client: string, upstream: string): boolean;
  /** Returns the capabilities that an API version takes away from every model. */
  limitsOf?(version: string): Partial<Capabilities>;
  /** The dialect's own vendor, as OpenTelemetry's GenAI conventions name it. */
  readonly providerName: string;
  /** Prefix of the vendor's own request headers. */
  readonly headerPrefix: string;
  /** Query of `GET /models` that returns the whole list in one page. */
  readonly modelListQuery: string;
  /** Whether a stream reports usage only if the request asks for it (`stream_options`). */
  readonly reportsUsageOnRequest: boolean;
  /** Whether the upstream can compact a conversation. */
  readonly compactsConversations: boolean;
  /** Whether upstreams can stream responses over a WebSocket. */
  readonly hasWebSocketMode: boolean;
  /** Capabilities of a model unless its family or the configuration overrides them. */
  readonly capabilities: Capabilities;
  /** Whether models named `vendor/model` are served by a gateway that takes `reasoning_details` back. */
  readonly hasGateways: boolean;
  /** The position of the instructions of a request without turns. */
  readonly instructionsWithoutTurns: "instructions" | "system-turn" | "user-turn";
  /** Whether strict schemas are limited to OpenAI's subset of JSON Schema. */
  readonly restrictsStrictSchemas: boolean;
  /** Whether a response schema may have a root other than an object. */
  readonly acceptsAnySchemaRoot: boolean;
  /** Whether a request can ask for JSON without a schema. */
  readonly acceptsJsonWithoutSchema: boolean;
  /** Whether a request can limit the model to one tool call at a time. */
  readonly limitsToolCalls: boolean;
  /** Request member for the number of candidates; absent if a call returns only one. */
  readonly candidatesMember?: string;
  /** Members of a tool that the dialect has beyond name, description and schema. */
  readonly toolMembers: readonly string[];
  /** Returns the request that generates one token, for warming up. */
  createSmallestCall(model: string, maxTokensName: string): UpstreamRequestBody;
  /** Returns the request that counts the tokens of a generate request; absent if upstreams have no such route. */
  createCountCall?(model: string, body: Readonly<Record<string, unknown>>): UpstreamRequestBody;
}

/** Path under the base URL's version segment, and JSON body. */
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

/** Model list of a dialect. Dialects with the same form share one object. */
export interface ModelListFormat {
  describe(model: ListedModel): object;
  /** Returns the requested page. Throws `validation` for an invalid page size or position. */
  createPage<Model extends ListedModel>(
    models: readonly Model[],
    query: Readonly<Record<string, unknown>>,
    describe: (model: Model) => unknown,
  ): unknown;
}
