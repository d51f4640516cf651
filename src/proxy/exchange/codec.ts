import type { Capabilities } from "./capabilities.ts";
import type { ExchangeError } from "./error.ts";
import type { Delta, ExchangeEvent } from "./event.ts";
import type { Converted, Loss } from "./loss.ts";
import type { Dialect } from "./parts.ts";
import type { ExchangeRequest } from "./request.ts";
import type { ExchangeResponse } from "./response.ts";
import type { Steps } from "./steps.ts";

/**
 * Decodes and encodes one dialect. The proxy decodes with the codec of one side and encodes with that of the other.
 */
export interface Codec {
  readonly dialect: Dialect;
  /** Decodes a client's request body. Throws `DialectError` (400) if the body is invalid. */
  decodeRequest(body: unknown, context: DecodeContext): Converted<ExchangeRequest>;
  /** Decodes like `decodeRequest`, with pauses in long lists; for large bodies. */
  decodeRequestInSteps(body: unknown, context: DecodeContext): Steps<Converted<ExchangeRequest>>;
  /** Encodes a request for an upstream. */
  encodeRequest(request: ExchangeRequest, capabilities: Capabilities): Converted<UpstreamCall>;
  /** Decodes a complete response. Throws `DialectError` if it is an error or not a response of this dialect. */
  decodeResponse(body: unknown): Converted<ExchangeResponse>;
  /** Decodes like `decodeResponse`, with pauses in long lists; for large bodies. */
  decodeResponseInSteps(body: unknown): Steps<Converted<ExchangeResponse>>;
  encodeResponse(response: ExchangeResponse, context: EncodeContext): Converted<unknown>;
  /** Returns the id that clients get for a response they can refer to later; absent if they cannot. */
  createResponseId?(id: string | undefined, context: EncodeContext): string;
  createStreamDecoder(): StreamDecoder;
  createStreamEncoder(context: EncodeContext): StreamEncoder;
  /** Decodes an upstream's error response; `body` may be of any form. `headers` have lower-case names. */
  decodeError(status: number, headers: Readonly<Record<string, string>>, body: unknown): ExchangeError;
}

/** Values from the path that the body does not have (generative-language names model and method there). */
export interface DecodeContext {
  readonly model?: string;
  readonly stream?: boolean;
  /** Whether the body may have long lists, whose elements are then validated one by one, with pauses. */
  readonly isLarge?: boolean;
}

export interface EncodeContext {
  /** The client's name of the model, returned if the response names none. */
  readonly model: string;
  readonly request: ExchangeRequest;
  /** Milliseconds since 1970, for dialects with a timestamp in their responses. */
  readonly now: number;
  /** Unique id for a response to which the upstream gave none: letters and digits, no prefix. */
  readonly fallbackId: string;
  /** Estimated prompt tokens, for dialects that report them before the upstream does. */
  readonly inputEstimate?: number;
  /** Generative-language without `alt=sse`: one JSON array instead of events. */
  readonly array?: boolean;
  /** Whether a responses stream ends with `data: [DONE]`. */
  readonly endsWithDone?: boolean;
}

export interface UpstreamCall {
  /**
   * Path under the base URL's version segment, with leading slash: `/chat/completions`,
   * `/models/m:streamGenerateContent?alt=sse`.
   */
  readonly path: string;
  /** Serialized with `stringifyJson`, so it may contain `RawJson`. */
  readonly body: unknown;
  /** Headers that the body requires in addition to the upstream's usual ones (lower-case names). */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A server-sent event: its name (`message` by default) and data. */
export interface WireEvent {
  readonly event: string;
  readonly data: string;
}

/** Decodes an event stream. After `end` (the upstream's end of file) it has returned exactly one terminal event. */
export interface StreamDecoder {
  push(event: WireEvent): readonly ExchangeEvent[];
  end(): readonly ExchangeEvent[];
  /**
   * Records text that bypassed `push`: more text for the part of the last delta. Absent if the decoder keeps no text.
   */
  note?(delta: Delta): void;
}

/**
 * Encodes events as text for the client, possibly empty; returns no text after a terminal event. Encodes `ping` as
 * the dialect's keep-alive, also before `start`.
 */
export interface StreamEncoder {
  push(event: ExchangeEvent): string;
  /** What the dialect cannot express; complete after the terminal event. */
  readonly losses: readonly Loss[];
}

export interface EncodedError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}
