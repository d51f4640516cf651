import { nextTurn } from "../../json/bounds.ts";
import type { Codec, DecodeContext, EncodeContext } from "../exchange/codec.ts";
import type { Converted } from "../exchange/loss.ts";
import type { Part } from "../exchange/parts.ts";
import type { ExchangeRequest } from "../exchange/request.ts";
import type { ExchangeResponse } from "../exchange/response.ts";
import { countValues, finishSteps, type Steps } from "../exchange/steps.ts";

/** Maximum number of JSON values of a body that is decoded in one turn of the event loop. */
const FEW_VALUES = 16_384;

/** Maximum number of turns or candidates, plus their parts, that are converted in one turn of the event loop. */
const FEW_PARTS = 2_048;

/** A client's request: its parsed body, and the number of values in it. */
export interface ClientRequest {
  readonly body: unknown;
  readonly values: number;
}

/**
 * Decodes a client's request, a large one in several turns of the event loop. Throws `DialectError` (400) if the body
 * is invalid.
 */
export async function decodeInTurns(
  codec: Codec,
  { body, values }: ClientRequest,
  context: DecodeContext,
): Promise<Converted<ExchangeRequest>> {
  if (values <= FEW_VALUES) return codec.decodeRequest(body, context);
  return finishInTurns(codec.decodeRequestInSteps(body, context));
}

/**
 * Decodes an upstream's response like `decodeInTurns`. Throws `DialectError` if the response is invalid or an error.
 */
export async function decodeResponseInTurns(
  codec: Codec,
  body: unknown,
): Promise<Converted<ExchangeResponse>> {
  if (countValues(body, FEW_VALUES) < FEW_VALUES) return codec.decodeResponse(body);
  return finishInTurns(codec.decodeResponseInSteps(body));
}

/**
 * Finishes steps that prepare or encode a request. Takes a turn of the event loop for each step if the request's
 * conversation, including earlier turns that the body does not contain, is long.
 */
export async function convertInTurns<Value>({ turns }: ExchangeRequest, steps: Steps<Value>): Promise<Value> {
  return countParts(turns) <= FEW_PARTS ? finishSteps(steps) : finishInTurns(steps);
}

/** Encodes a response for the client. Takes a turn of the event loop for each step of a large response. */
export async function encodeResponseInTurns(
  codec: Codec,
  response: ExchangeResponse,
  context: EncodeContext,
): Promise<Converted<unknown>> {
  if (countParts(response.candidates) <= FEW_PARTS) return codec.encodeResponse(response, context);
  return finishInTurns(codec.encodeResponseInSteps(response, context));
}

/** Counts turns or candidates, and their parts. */
function countParts(owners: readonly { readonly parts: readonly Part[] }[]): number {
  return owners.reduce((sum, { parts }) => sum + parts.length, owners.length);
}

async function finishInTurns<Value>(steps: Steps<Value>): Promise<Value> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await nextTurn();
  }
}
