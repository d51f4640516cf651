import { isLargeText, nextTurn } from "../../../json/bounds.ts";
import type { Codec, DecodeContext } from "../../exchange/codec.ts";
import type { Converted } from "../../exchange/loss.ts";
import type { ExchangeRequest } from "../../exchange/request.ts";

/** A client's request: its parsed body, and the size of the body in bytes. */
export interface ClientRequest {
  readonly body: unknown;
  readonly size: number;
}

/**
 * Decodes a client's request. Takes a turn of the event loop for each step of a large one. Throws `DialectError` (400) if
 * the body is invalid.
 */
export async function decodeInTurns(
  codec: Codec,
  { body, size }: ClientRequest,
  context: DecodeContext,
): Promise<Converted<ExchangeRequest>> {
  if (!isLargeText(size)) return codec.decodeRequest(body, context);
  const steps = codec.decodeRequestInSteps(body, context);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await nextTurn();
  }
}
