import type { Capabilities } from "./capabilities.ts";
import type { ExchangeError } from "./error.ts";
import type { Delta, ExchangeEvent } from "./event.ts";
import type { Converted, Loss } from "./loss.ts";
import type { Dialect } from "./parts.ts";
import type { ExchangeRequest } from "./request.ts";
import type { ExchangeResponse } from "./response.ts";

/** One dialect's readers and writers. The proxy decodes with the one side's codec and encodes with the other's. */
export interface Codec {
  readonly dialect: Dialect;
  /** Reads a client's body. Throws `DialectError` (status 400) with the client's mistake named. */
  decodeRequest(body: unknown, context: DecodeContext): Converted<ExchangeRequest>;
  /** Writes the call for an upstream: where under its base URL, and what. */
  encodeRequest(request: ExchangeRequest, capabilities: Capabilities): Converted<UpstreamCall>;
  /** Reads an upstream's whole answer. Throws where it is no answer of this dialect. */
  decodeResponse(body: unknown): Converted<ExchangeResponse>;
  encodeResponse(response: ExchangeResponse, context: EncodeContext): Converted<unknown>;
  /** Returns the id that clients get for a response they can refer to later; absent if they cannot. */
  createResponseId?(id: string | undefined, context: EncodeContext): string;
  createStreamDecoder(): StreamDecoder;
  createStreamEncoder(context: EncodeContext): StreamEncoder;
  /** Reads an upstream's refusal, whatever the body turns out to be. `headers` have lower-case names. */
  decodeError(status: number, headers: Readonly<Record<string, string>>, body: unknown): ExchangeError;
}

/** What the path says and the body does not (generative-language names model and method there). */
export interface DecodeContext {
  readonly model?: string;
  readonly stream?: boolean;
}

export interface EncodeContext {
  /** The model as the client named it, which it is told back where the answer names none. */
  readonly model: string;
  readonly request: ExchangeRequest;
  /** Milliseconds since 1970, for dialects that stamp their answers. */
  readonly now: number;
  /** Tells this answer from all others, where the upstream named none: letters and digits, no prefix. */
  readonly fallbackId: string;
  /** About how many tokens the prompt has, for dialects that tell it before the upstream has said. */
  readonly inputEstimate?: number;
  /** Generative-language without `alt=sse`: one JSON array instead of events. */
  readonly array?: boolean;
}

export interface UpstreamCall {
  /**
   * Under the base URL's version segment, with leading slash: `/chat/completions`,
   * `/models/m:streamGenerateContent?alt=sse`.
   */
  readonly path: string;
  /** Written with `stringifyJson`, so `RawJson` may stand in it. */
  readonly body: unknown;
  /** What the body needs beside the upstream's usual headers (lower-case names). */
  readonly headers?: Readonly<Record<string, string>>;
}

/** One server-sent event: name (`message` unless said) and data. */
export interface WireEvent {
  readonly event: string;
  readonly data: string;
}

/** Fed with events; after `end` (the upstream's end of file) it has given exactly one terminal event. */
export interface StreamDecoder {
  push(event: WireEvent): readonly ExchangeEvent[];
  end(): readonly ExchangeEvent[];
  /**
   * Told of text that was read past it: more of the part that its last event was a delta of. Absent where a decoder
   * keeps nothing of the texts it reads.
   */
  note?(delta: Delta): void;
}

/**
 * Gives the bytes for the client as text, possibly empty; after a terminal event it gives nothing more. A `ping` is
 * written in whatever way the dialect keeps a connection alive, also before `start`.
 */
export interface StreamEncoder {
  push(event: ExchangeEvent): string;
  /** What it could not say; complete after the terminal event. */
  readonly losses: readonly Loss[];
}

export interface EncodedError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}
