import type { ModelData } from "../../config/proxy/model-data.ts";
import { AppError } from "../../errors.ts";
import type { ExchangeError } from "../exchange/error.ts";
import type { Loss } from "../exchange/loss.ts";
import type { Dialect, UpstreamDialect } from "../exchange/parts.ts";
import type { Usage } from "../exchange/response.ts";
import type { Redact } from "../redact.ts";
import type { Operation } from "../routes.ts";
import type { CallMemory } from "./conversations/call-memory.ts";
import type { ConversationStore } from "./conversations/conversation-store.ts";
import { serveCount } from "./operations/serve-count.ts";
import { serveEmbeddings } from "./operations/serve-embeddings.ts";
import { serveImages } from "./operations/serve-images.ts";
import { serveTranscript } from "./operations/serve-transcript.ts";
import { serveGenerate } from "./serve-generate.ts";

/**
 * A call whose client and upstream use different dialects or API versions, with everything that serving it requires.
 */
export interface TranslatedCall {
  readonly client: ClientSide;
  /** The client's complete request body. */
  readonly body: Buffer;
  /** The number of JSON values in the body. */
  readonly values: number;
  readonly target: TranslationTarget;
  /** Whether a call with losses is rejected with a 400; otherwise, its losses are only reported. */
  readonly strict: boolean;
  /** Whether a stream of the responses dialect ends with `data: [DONE]`. */
  readonly endsWithDone?: boolean;
  /** The request id, which the error bodies of some dialects contain. */
  readonly requestId: string;
  readonly send: SendUpstream;
  readonly sendAll: SendAllUpstream;
  readonly writer: ResponseWriter;
  /** Replaces every secret of the configuration, because vendors quote keys in their errors. */
  readonly redact: Redact;
  /** The stored conversations; without them, every `previous_response_id` is rejected as not found. */
  readonly conversations?: ConversationStore;
  /** Stores the data that clients leave out when they send back the tool calls of earlier responses. */
  readonly memory?: CallMemory | undefined;
}

export interface ClientSide {
  readonly dialect: Dialect;
  readonly operation: Operation;
  /** The client's name of the model. */
  readonly model: string;
  /** Whether the client requested a stream, in its body or, for generative-language, in its path. */
  readonly stream: boolean;
  /** Whether a stream is one JSON array, as in the generative-language dialect without `alt=sse`. */
  readonly array: boolean;
  readonly contentType: string;
}

export interface TranslationTarget {
  /** The upstream's name in the configuration. */
  readonly upstream: string;
  readonly dialect: UpstreamDialect;
  /** The upstream's vendor, if it is known. */
  readonly vendor?: string | undefined;
  /** The prices, context window and limits of the model, if they are known. */
  readonly data?: ModelData | undefined;
  /** The host of the base URL, which identifies a vendor with its own capabilities. */
  readonly host?: string;
  /** The API version that the configuration fixes for the upstream. */
  readonly version?: string | undefined;
  /** The model's name at the upstream. */
  readonly model: string;
  /**
   * `capabilities` of the upstream's configuration: members of `Capabilities` by model pattern. All patterns that match
   * the model apply, in order, so that a later one overrides an earlier one.
   */
  readonly capabilities: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/**
 * Sends one request to the upstream, with credentials, configured headers, timeouts and retries before the first
 * byte. Rejects with an `AppError`, for example `upstream_unreachable`, `upstream_invalid` or `client_gone`. Resolves
 * with undefined if the call continues at a target that requires another form of the request. The caller must then send
 * nothing to the client, and the caller's outcome is ignored.
 */
export type SendUpstream = (request: UpstreamRequest) => Promise<UpstreamResponse | undefined>;

/**
 * Sends one or more requests at once, one for each candidate or image. Resolves with all responses or, if one of them
 * has a status of 400 or above, with that one only. Rejects, or resolves with undefined, in the same cases as
 * `SendUpstream`. If a request fails, the caller of `translateCall` counts the usage of the others.
 */
export type SendAllUpstream = (
  requests: readonly UpstreamRequest[],
) => Promise<readonly UpstreamResponse[] | undefined>;

export interface UpstreamRequest {
  readonly method: "GET" | "POST";
  /** Path under the base URL's version segment, with its query: `/models/m:streamGenerateContent?alt=sse`. */
  readonly path: string;
  readonly body: string | Buffer;
  /** Defaults to `application/json`. */
  readonly contentType?: string;
  /** Additional headers with lower-case names (`anthropic-beta`). */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface UpstreamResponse {
  readonly status: number;
  /** The headers by name, in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The uncompressed body as it arrives, with backpressure. Iteration throws an `AppError` (`upstream_cut`,
   * `upstream_timeout`, `client_gone`) if the body is incomplete.
   */
  readonly body: AsyncIterable<Buffer>;
}

/**
 * Writes the response to the client. Sends nothing before `start` or `respond`, so that an error can still set the
 * status.
 */
export interface ResponseWriter {
  readonly started: boolean;
  /** Sends status and headers, including the request id and `x-sallyport-upstream`. */
  start(status: number, headers: Readonly<Record<string, string>>): void;
  /** Sends status, headers and the complete body. */
  respond(status: number, headers: Readonly<Record<string, string>>, text: string | Buffer): void;
  /**
   * Writes a piece of the body. If the client is slower than the upstream, returns a promise to await before the next
   * write.
   */
  write(text: string | Buffer): Promise<void> | undefined;
  /** Sets the text, such as `: ping\n\n`, that is written whenever the open stream has been silent for some time. */
  keepAlive(text: string): void;
  /**
   * Ends the response with the last piece of its body. `trailers` follow it if the connection supports them (RFC 9110,
   * section 6.5).
   */
  end(text: string | Buffer, trailers?: Readonly<Record<string, string>>): void;
  /** Keeps the upstream's connection open until `rest` has settled. The client does not wait for it. */
  readLater(rest: Promise<void>): void;
  /** Closes the connection abruptly, so that the client cannot mistake an incomplete response for a complete one. */
  destroy(): void;
}

/** The result of a translated call, for the request log and the metrics. */
export interface TranslationOutcome {
  readonly usage?: Usage;
  readonly losses: readonly Loss[];
  /** The error with which the call failed. The client has received it unless its connection was closed instead. */
  readonly error?: ExchangeError;
  /** Set if the client disconnected. `usage` is then what the upstream had reported by that time. */
  readonly clientDisconnected?: true;
}

/**
 * Serves a call across dialects: decodes the client's request, encodes it for the upstream, sends it and relays the
 * response. Throws or rejects with an `AppError` or, for an internal error, with any other value; the caller encodes
 * the error in the client's dialect unless the response has started.
 */
export function translateCall(call: TranslatedCall): Promise<TranslationOutcome> {
  switch (call.client.operation) {
    case "generate":
      return serveGenerate(call);
    case "count-tokens":
      return serveCount(call);
    case "embed":
      return serveEmbeddings(call);
    case "image-generation":
    case "image-edit":
      return serveImages(call);
    case "transcription":
      return serveTranscript(call);
    default:
      throw new AppError(
        "unsupported",
        `The upstream ${call.target.upstream} does not support this operation.`,
      );
  }
}
