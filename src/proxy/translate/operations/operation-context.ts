import type { JsonBounds } from "../../../json/bounds.ts";
import { isClientDisconnect, toExchangeError } from "../../dialect-errors.ts";
import { loadCodec } from "../../dialects/codecs.ts";
import { DialectError } from "../../exchange/dialect-error.ts";
import type { ExchangeError } from "../../exchange/error.ts";
import { stringifyJson } from "../../exchange/json.ts";
import { createLossList, type LossList } from "../../exchange/loss.ts";
import type { Usage } from "../../exchange/response.ts";
import { createLossHeader } from "../loss-header.ts";
import { readErrorBody, readResponseJson } from "../response/read-response.ts";
import { refuseLosses } from "../strict-translation.ts";
import type {
  TranslatedCall,
  TranslationOutcome,
  UpstreamRequest,
  UpstreamResponse,
} from "../translate-call.ts";
import { decodeUpstreamError, respondWithError } from "../translation.ts";

/** Context of a non-chat operation: embeddings, images, transcription, token count. */
export interface OperationContext {
  readonly call: TranslatedCall;
  readonly losses: LossList;
  /** Usage for the request log. */
  usage: Usage | undefined;
  /**
   * Sends JSON to the upstream. Returns undefined if the call continues at another target (`SendUpstream`). Throws
   * `DialectError` if the upstream responds with an error, or before sending if there are losses under
   * `strict_translation`.
   */
  post(path: string, body: unknown): Promise<UpstreamResponse | undefined>;
  /**
   * Sends JSON like `post` and returns the parsed response. Throws `DialectError` (502) if the response is not JSON or
   * exceeds `bounds`.
   */
  ask(path: string, body: unknown, bounds?: JsonBounds): Promise<unknown>;
  /** Sends the same JSON in `count` concurrent calls and returns the parsed responses, as `ask` does. */
  askEach(path: string, body: unknown, count: number): Promise<readonly unknown[] | undefined>;
  send(text: string, contentType?: string): void;
}

/**
 * Runs an operation. Sends an error in the client's dialect, or closes the connection if the response has started.
 * Rejects if the client disconnects, and for an internal error before the response has started.
 */
export async function serveOperation(
  call: TranslatedCall,
  run: (context: OperationContext) => Promise<void>,
): Promise<TranslationOutcome> {
  const context = createOperationContext(call);
  let failure: ExchangeError | undefined;
  try {
    await run(context);
  } catch (error) {
    if (isClientDisconnect(error)) throw error;
    failure = toExchangeError(error);
    if (failure.kind === "internal" && !call.writer.started) throw error;
    if (call.writer.started) call.writer.destroy();
    else respondWithError(call, failure, createOperationLossHeader(context.losses));
  }
  return {
    losses: context.losses.losses,
    usage: context.usage,
    error: failure,
  };
}

/** Returns the header `x-sallyport-losses` for the losses so far. */
export function createOperationLossHeader(losses: LossList): Readonly<Record<string, string>> {
  return createLossHeader(losses.losses.map((loss) => loss.code));
}

function createOperationContext(call: TranslatedCall): OperationContext {
  const losses = createLossList();
  const toRequest = (path: string, body: unknown): UpstreamRequest => {
    refuseLosses(call, losses.losses);
    return { method: "POST", path, body: stringifyJson(body) };
  };
  const post = async (path: string, body: unknown): Promise<UpstreamResponse | undefined> => {
    const reply = await call.send(toRequest(path, body));
    if (reply !== undefined) await expectSuccess(call, reply);
    return reply;
  };
  return {
    call,
    losses,
    usage: undefined,
    post,
    async ask(path, body, bounds) {
      const reply = await post(path, body);
      return reply && readResponseJson(reply.body, bounds);
    },
    async askEach(path, body, count) {
      const request = toRequest(path, body);
      const responses = await call.sendAll(Array.from({ length: count }, () => request));
      if (responses === undefined) return undefined;
      for (const response of responses) await expectSuccess(call, response);
      return Promise.all(responses.map((response) => readResponseJson(response.body)));
    },
    send(text, contentType = "application/json") {
      call.writer.respond(200, { "content-type": contentType, ...createOperationLossHeader(losses) }, text);
    },
  };
}

/** Throws `DialectError` if the upstream responds with an error. */
async function expectSuccess({ target }: TranslatedCall, response: UpstreamResponse): Promise<void> {
  if (response.status < 400) return;
  const [codec, body] = await Promise.all([loadCodec(target.dialect), readErrorBody(response.body)]);
  throw new DialectError(decodeUpstreamError(codec, response, body));
}
