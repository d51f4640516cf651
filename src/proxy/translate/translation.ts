import { getProfile } from "../dialects/index.ts";
import type { Capabilities } from "../exchange/capabilities.ts";
import type { Codec, EncodeContext } from "../exchange/codec.ts";
import type { ExchangeError } from "../exchange/error.ts";
import { parseShouldRetry } from "../exchange/error-status.ts";
import { stringifyJson } from "../exchange/json.ts";
import type { Loss } from "../exchange/loss.ts";
import type { ExchangeRequest } from "../exchange/request.ts";
import type { ExchangeResponse, Usage } from "../exchange/response.ts";
import type { Redact } from "../redact.ts";
import { keepConversation } from "./conversations/earlier-turns.ts";
import { createLossHeader } from "./loss-header.ts";
import type { PreparedRequest } from "./request/prepare-request.ts";
import type { TranslatedCall, TranslationOutcome, UpstreamResponse } from "./translate-call.ts";

/** Describes a translated call before it is sent. */
export interface TranslationPlan {
  readonly call: TranslatedCall;
  readonly client: Codec;
  readonly upstream: Codec;
  /** The client's request, preceded by earlier turns. */
  readonly request: ExchangeRequest;
  readonly prepared: PreparedRequest;
  readonly context: EncodeContext;
  readonly capabilities: Capabilities;
  /** Whether the response is stored, so that the client can refer to it by its id. */
  readonly isKept: boolean;
  /** Whether `CallMemory` stores the parts of the response that the client discards. */
  readonly isRemembered: boolean;
}

/** The state of one translated call: its plan, and the usage, losses and error that become known while it is served. */
export class Translation {
  usage: Usage | undefined;
  /** The total size in bytes of the upstream's JSON responses; 0 for streams. */
  responseLength = 0;
  private readonly losses = new Map<string, Loss>();
  private error: ExchangeError | undefined;

  constructor(readonly plan: TranslationPlan) {}

  lose(losses: readonly Loss[]): void {
    for (const loss of losses) if (!this.losses.has(loss.code)) this.losses.set(loss.code, loss);
  }

  fail(error: ExchangeError): void {
    this.error = error;
  }

  /**
   * Returns a response, or its start, without members that the client must not receive: the upstream's id if the
   * response is stored, because local servers use the same ids again, and the upstream's name of a model that the
   * client calls by another name.
   */
  unnamed<Named extends { readonly id?: string; readonly model?: string }>(named: Named): Named {
    const { id, model, ...rest } = named;
    const { call, isKept } = this.plan;
    const isRenamed = call.client.model !== call.target.model;
    if ((id === undefined || !isKept) && (model === undefined || !isRenamed)) return named;
    return {
      ...(id === undefined || isKept ? {} : { id }),
      ...(model === undefined || isRenamed ? {} : { model }),
      ...rest,
    } as Named;
  }

  /** Returns the header `x-sallyport-losses` for the losses so far. */
  lossHeaders(): Readonly<Record<string, string>> {
    return createLossHeader([...this.losses.keys()]);
  }

  lossDetails(): readonly Loss[] {
    return [...this.losses.values()];
  }

  outcome(): TranslationOutcome {
    return {
      losses: this.lossDetails(),
      usage: this.usage,
      error: this.error,
    };
  }

  /** Stores the conversation and its response under the id that the client received. */
  async keep(id: string, response: ExchangeResponse, body: string | Buffer): Promise<void> {
    if (!this.plan.isKept) return;
    const responseText = body.toString();
    const size = this.plan.call.body.length;
    await keepConversation(this.plan.call.conversations, id, this.plan.request, response, {
      responseText,
      size,
    });
  }

  /** Stores the parts of a response that the client discards. */
  async remember(response: ExchangeResponse): Promise<void> {
    const { isRemembered, call } = this.plan;
    if (!isRemembered) return;
    for (const { parts } of response.candidates) await call.memory?.remember(call.client.dialect, parts);
  }

  /** Responds with an error in the client's dialect. Call it only before the response has started. */
  respondWithError(error: ExchangeError): void {
    this.fail(error);
    respondWithError(this.plan.call, error, this.lossHeaders());
  }
}

/** Decodes an upstream's error response. */
export function decodeUpstreamError(
  codec: Codec,
  { status, headers }: UpstreamResponse,
  body: unknown,
): ExchangeError {
  return { ...codec.decodeError(status, headers, body), shouldRetry: parseShouldRetry(headers) };
}

/** Redacts the secrets in the message, code and parameter of an error. */
export function withoutSecrets(error: ExchangeError, redact: Redact): ExchangeError {
  const { message, code, param } = error;
  return {
    ...error,
    message: redact(message),
    ...(code === undefined ? {} : { code: redact(code) }),
    ...(param === undefined ? {} : { param: redact(param) }),
  };
}

/** Responds with an error in the client's dialect, also to a call that failed before its `Translation` was created. */
export function respondWithError(
  call: TranslatedCall,
  error: ExchangeError,
  headers: Readonly<Record<string, string>> = {},
): void {
  const { client } = getProfile(call.client.dialect);
  const encoded = client.encodeError(withoutSecrets(error, call.redact), call.requestId);
  const members: Record<string, string> = {
    "content-type": "application/json",
    ...headers,
    ...encoded.headers,
  };
  if (error.shouldRetry !== undefined) members["x-should-retry"] = String(error.shouldRetry);
  call.writer.respond(encoded.status, members, stringifyJson(encoded.body));
}
