import { AppError } from "../../errors.ts";
import type { Loss } from "../exchange/loss.ts";
import type { Dialect, UpstreamDialect } from "../exchange/parts.ts";
import type { Usage } from "../exchange/response.ts";
import type { Redact } from "../redact.ts";
import type { Operation } from "../routes.ts";
import type { ConversationStore } from "./conversations/conversation-store.ts";
import { serveCount } from "./operations/serve-count.ts";
import { serveEmbeddings } from "./operations/serve-embeddings.ts";
import { serveImages } from "./operations/serve-images.ts";
import { serveTranscript } from "./operations/serve-transcript.ts";
import { serveGenerate } from "./serve-generate.ts";

/** A call whose client speaks another dialect than its upstream, with everything needed to serve it. */
export interface TranslatedCall {
  readonly client: ClientSide;
  /** The client's body as it came, whole. */
  readonly body: Buffer;
  readonly target: TranslationTarget;
  /** Losses are refused with 400 instead of being reported. */
  readonly strict: boolean;
  /** For dialects that put one into their error bodies. */
  readonly requestId: string;
  readonly send: SendUpstream;
  readonly reply: ReplyWriter;
  /** Replaces every secret of the configuration; vendors quote keys in their errors. */
  readonly redact: Redact;
  /** Conversations of earlier `responses` calls; absent: `previous_response_id` is not found. */
  readonly conversations?: ConversationStore;
}

export interface ClientSide {
  readonly dialect: Dialect;
  readonly operation: Operation;
  /** The model as the client named it. */
  readonly model: string;
  /** Whether the client wants a stream, from its body or, in the generative-language dialect, from its path. */
  readonly stream: boolean;
  /** Generative-language without `alt=sse`: a stream is one JSON array. */
  readonly array: boolean;
  readonly contentType: string;
}

export interface TranslationTarget {
  /** The upstream's name in the configuration. */
  readonly upstream: string;
  readonly dialect: UpstreamDialect;
  /** Of its base URL; vendors differ in what they take. */
  readonly host?: string;
  /** The model's name at the upstream. */
  readonly model: string;
  /** `capabilities` of the upstream's configuration: members of `Capabilities` by model pattern, last match wins. */
  readonly capabilities: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/**
 * Sends one request to the upstream: credentials, configured headers, time limits and retries before the first byte
 * are its business. Rejects with an `AppError` (`upstream_unreachable`, `upstream_timeout`, `client_gone`).
 * Resolves with undefined where the call continues at a target that takes it in another form: nothing may be sent to the
 * client anymore, and the outcome does not count.
 */
export type SendUpstream = (request: UpstreamRequest) => Promise<UpstreamReply | undefined>;

export interface UpstreamRequest {
  readonly method: "GET" | "POST";
  /** Under the base URL's version segment, with its query: `/models/m:streamGenerateContent?alt=sse`. */
  readonly path: string;
  readonly body: string | Buffer;
  /** `application/json` unless said. */
  readonly contentType?: string;
  /** Further headers, lower-case names (`anthropic-beta`). */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface UpstreamReply {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The body's bytes, uncompressed, as they arrive; the upstream is slowed to the reader's speed. Iteration throws an
   * `AppError` (`upstream_cut`, `upstream_timeout`, `client_gone`) when the body does not come to its end.
   */
  readonly body: AsyncIterable<Buffer>;
}

/** The answer to the client. Nothing is sent before `start`, so that a failure can still choose its status. */
export interface ReplyWriter {
  readonly started: boolean;
  /** Status and headers; the request id and `x-sallyport-upstream` are added. */
  start(status: number, headers: Readonly<Record<string, string>>): void;
  /** Status, headers and the whole body at once. */
  answer(status: number, headers: Readonly<Record<string, string>>, text: string): void;
  /** A promise where the client is slower than the upstream; to be awaited before more is written. */
  write(text: string | Buffer): Promise<void> | undefined;
  /** Text to write after 15 s without any, for as long as the stream is open (`: ping\n\n`). */
  keepAlive(text: string): void;
  /** `trailers` go out behind the body, where the connection can carry them (RFC 9110, section 6.5). */
  end(trailers?: Readonly<Record<string, string>>): void;
  /** Breaks the connection, so that what was sent cannot be taken for a whole answer. */
  destroy(): void;
}

/** What the request log and the metrics are told. */
export interface TranslationOutcome {
  readonly usage?: Usage;
  readonly losses: readonly Loss[];
  /** The message of the fault that the client was told of, if it was one. */
  readonly fault?: string;
  /** The client left; usage is what was told until then. */
  readonly clientGone?: true;
}

/**
 * Serves a call across dialects: decodes the client's request, encodes it for the upstream, sends it, and carries the
 * answer back. Failures before `reply.start` may be thrown as `AppError`: the caller answers them in the client's dialect.
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
