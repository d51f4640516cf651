import type { Codec, DecodeContext } from "../../exchange/codec.ts";
import type { Converted } from "../../exchange/loss.ts";
import type { ExchangeRequest } from "../../exchange/request.ts";
import type { ExchangeResponse } from "../../exchange/response.ts";
import { finishSteps, type Steps } from "../../exchange/steps.ts";

interface SteppedCodec
  extends Omit<Codec, "decodeRequest" | "decodeRequestInSteps" | "decodeResponse" | "decodeResponseInSteps"> {
  readonly decodeRequest: (body: unknown, context: DecodeContext) => Steps<Converted<ExchangeRequest>>;
  readonly decodeResponse: (body: unknown, isLarge: boolean) => Steps<Converted<ExchangeResponse>>;
}

/** Creates the codec of a dialect whose decoders can pause. Small bodies are decoded without a pause. */
export function createCodec({ decodeRequest, decodeResponse, ...parts }: SteppedCodec): Codec {
  return {
    ...parts,
    decodeRequest: (body, context) => finishSteps(decodeRequest(body, context)),
    decodeRequestInSteps: (body, context) => decodeRequest(body, { ...context, isLarge: true }),
    decodeResponse: (body) => finishSteps(decodeResponse(body, false)),
    decodeResponseInSteps: (body) => decodeResponse(body, true),
  };
}
