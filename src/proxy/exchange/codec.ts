import type { Capabilities } from "./capabilities.ts";
import type { ExchangeError } from "./error.ts";
import type { Delta, ExchangeEvent } from "./event.ts";
import type { Converted, Loss } from "./loss.ts";
import type { Dialect } from "./parts.ts";
import type { ExchangeRequest } from "./request.ts";
import type { ExchangeResponse } from "./response.ts";
import type { Steps } from "./steps.ts";

/**
 * Decodes and encodes one dialect. The proxy decodes a request with the client's codec and encodes it with the
 * upstream's codec. It decodes the response with the upstream's codec and encodes it with the client's codec.
 */
export interface Codec {
  readonly dialect: Dialect;
  /** Decodes a client's request body. Throws `DialectError` (400) if the body is invalid. */
  decodeRequest(body: unknown, context: DecodeContext): Converted<ExchangeRequest>;
  /** Decodes like `decodeRequest`, but pauses in long lists, so that a large body does not block other calls. */
  decodeRequestInSteps(body: unknown, context: DecodeContext): Steps<Converted<ExchangeRequest>>;
  /**
   * Encodes a request for an upstream. Throws `DialectError` (400) if the dialect lacks a hosted tool and no other tool
   * remains.
   */
  encodeRequest(request: ExchangeRequest, capabilities: Capabilities): Converted<UpstreamCall>;
  /** Encodes like `encodeRequest`, but pauses in long lists. */
  encodeRequestInSteps(request: ExchangeRequest, capabilities: Capabilities): Steps<Converted<UpstreamCall>>;
  /** Decodes a complete response. Throws `DialectError` if the body is an error or not a response of this dialect. */
  decodeResponse(body: unknown): Converted<ExchangeResponse>;
  /** Decodes like `decodeResponse`, but pauses in long lists. */
  decodeResponseInSteps(body: unknown): Steps<Converted<ExchangeResponse>>;
  encodeResponse(response: ExchangeResponse, context: EncodeContext): Converted<unknown>;
  /** Encodes like `encodeResponse`, but pauses in long lists. */
  encodeResponseInSteps(response: ExchangeResponse, context: EncodeContext): Steps<Converted<unknown>>;
  /** Returns the id that clients receive for a response. Absent in dialects whose responses are never stored. */
  createResponseId?(id: string | undefined, context: EncodeContext): string;
  createStreamDecoder(): StreamDecoder;
  createStreamEncoder(context: EncodeContext): StreamEncoder;
  /** Decodes an upstream's error response; `body` is any value. The names in `headers` are in lower case. */
  decodeError(status: number, headers: Readonly<Record<string, string>>, body: unknown): ExchangeError;
}

/** Facts about a request that its body does not contain. In generative-language, the path contains model and method. */
export interface DecodeContext {
  readonly model?: string;
  readonly stream?: boolean;
  /** Whether the body is large. The elements of its lists are then validated one by one, with pauses. */
  readonly isLarge?: boolean;
}

/** Facts about a call that are needed to encode its response. */
export interface EncodeContext {
  /** The model's name in the request, which is returned if the upstream's response names no model. */
  readonly model: string;
  readonly request: ExchangeRequest;
  /** The current time in milliseconds since 1970, for dialects with a timestamp in their responses. */
  readonly now: number;
  /** A unique id for a response to which the upstream gave none: letters and digits, no prefix. */
  readonly fallbackId: string;
  /** Estimated prompt tokens, for dialects that report them before the upstream does. */
  readonly inputEstimate?: number;
  /** Whether a stream is one JSON array instead of events (generative-language without `alt=sse`). */
  readonly array?: boolean;
  /** Whether a stream of the responses dialect ends with `data: [DONE]`. */
  readonly endsWithDone?: boolean;
}

/** A request to an upstream. */
export interface UpstreamCall {
  /**
   * The path after the base URL and its version, such as `/chat/completions` or
   * `/models/m:streamGenerateContent?alt=sse`.
   */
  readonly path: string;
  /** The body. Serialize it with `stringifyJson`, because it can contain `RawJson`. */
  readonly body: unknown;
  /** Headers that the body requires in addition to the upstream's usual ones (lower-case names). */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A server-sent event: its name (`message` by default) and data. */
export interface WireEvent {
  readonly event: string;
  readonly data: string;
}

/**
 * Decodes an event stream. Call `end` when the upstream has closed the stream. The calls of `push` and `end` together
 * return one terminal event.
 */
export interface StreamDecoder {
  push(event: WireEvent): readonly ExchangeEvent[];
  end(): readonly ExchangeEvent[];
  /**
   * Records a delta that was copied to the client without `push`, for the same part as the last delta. Absent if the
   * decoder keeps no text.
   */
  note?(delta: Delta): void;
  /**
   * Returns whether the decoder reads the text of this part. Every event of such a part must be passed to `push`.
   * Absent if the decoder reads no texts.
   */
  readsText?(index: number): boolean;
}

/**
 * Encodes events as text for the client. The text can be empty, and is empty for all events after a terminal one. A
 * `ping` becomes the dialect's keep-alive, also before `start`.
 */
export interface StreamEncoder {
  push(event: ExchangeEvent): string;
  /** The losses so far; complete after the terminal event. */
  readonly losses: readonly Loss[];
}

export interface EncodedError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}
