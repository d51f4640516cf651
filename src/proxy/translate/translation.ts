import { getProfile } from "../dialects/index.ts";
import type { Capabilities } from "../exchange/capabilities.ts";
import type { Codec, EncodeContext } from "../exchange/codec.ts";
import type { ExchangeError } from "../exchange/error.ts";
import { stringifyJson } from "../exchange/json.ts";
import type { Loss } from "../exchange/loss.ts";
import type { ExchangeRequest } from "../exchange/request.ts";
import type { ExchangeResponse, Usage } from "../exchange/response.ts";
import type { Redact } from "../redact.ts";
import { keepConversation } from "./conversations/earlier-turns.ts";
import { createLossHeader } from "./loss-header.ts";
import type { PreparedRequest } from "./request/prepare-request.ts";
import type { TranslatedCall, TranslationOutcome } from "./translate-call.ts";

/** What is settled about a translated call before it is sent. */
export interface TranslationPlan {
  readonly call: TranslatedCall;
  readonly client: Codec;
  readonly upstream: Codec;
  /** As the client said it, earlier turns in front. */
  readonly request: ExchangeRequest;
  readonly prepared: PreparedRequest;
  readonly context: EncodeContext;
  readonly capabilities: Capabilities;
  /** Whether the client may come back to the answer by its id. */
  readonly isKept: boolean;
}

/** One call on its way through the lane: what its phases hand on, and what becomes known of it. */
export class Translation {
  usage: Usage | undefined;
  /** The number of characters of a response in one piece. */
  responseLength = 0;
  private readonly losses = new Map<string, Loss>();
  private fault: string | undefined;

  constructor(readonly plan: TranslationPlan) {}

  lose(losses: readonly Loss[]): void {
    for (const loss of losses) if (!this.losses.has(loss.code)) this.losses.set(loss.code, loss);
  }

  fail(error: ExchangeError): void {
    this.fault = error.message;
  }

  /**
   * Returns an answer or the start of one under the names that the client is to see: without the upstream's id where the
   * client may come back to it, since local servers give the same few ids again and again, and without the answering
   * model's name where a rule has renamed the model.
   */
  unnamed<Named extends { readonly id?: string; readonly model?: string }>(named: Named): Named {
    const { id, model, ...rest } = named;
    const { call, isKept } = this.plan;
    const isRenamed = call.client.model !== call.target.model;
    return {
      ...rest,
      ...(id === undefined || isKept ? {} : { id }),
      ...(model === undefined || isRenamed ? {} : { model }),
    } as Named;
  }

  /** `x-sallyport-losses`, where there are any so far. */
  lossHeaders(): Readonly<Record<string, string>> {
    return createLossHeader([...this.losses.keys()]);
  }

  lossDetails(): readonly Loss[] {
    return [...this.losses.values()];
  }

  outcome(): TranslationOutcome {
    return {
      losses: this.lossDetails(),
      ...(this.usage === undefined ? {} : { usage: this.usage }),
      ...(this.fault === undefined ? {} : { fault: this.fault }),
    };
  }

  /** Keeps the conversation under the id the client was told, with what it was told. */
  async keep(id: string, response: ExchangeResponse, answer: string): Promise<void> {
    if (!this.plan.isKept) return;
    const size = this.plan.call.body.length;
    await keepConversation(this.plan.call.conversations, id, this.plan.request, response, { answer, size });
  }

  /** Answers with an error in the client's dialect; nothing may have been sent yet. */
  answerError(error: ExchangeError): void {
    this.fail(error);
    answerError(this.plan.call, error, this.lossHeaders());
  }
}

/** Returns an error without secrets in any text of it. */
export function withoutSecrets(error: ExchangeError, redact: Redact): ExchangeError {
  const { message, code, param } = error;
  return {
    ...error,
    message: redact(message),
    ...(code === undefined ? {} : { code: redact(code) }),
    ...(param === undefined ? {} : { param: redact(param) }),
  };
}

/** See `Translation.answerError`; for failures before there is one. */
export function answerError(
  call: TranslatedCall,
  error: ExchangeError,
  headers: Readonly<Record<string, string>> = {},
): void {
  const { client } = getProfile(call.client.dialect);
  const encoded = client.encodeError(withoutSecrets(error, call.redact), call.requestId);
  const members = { "content-type": "application/json", ...headers, ...encoded.headers };
  call.reply.answer(encoded.status, members, stringifyJson(encoded.body));
}
