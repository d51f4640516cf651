import type { Capabilities } from "../../exchange/capabilities.ts";
import type { Codec, DecodeContext, EncodeContext, UpstreamCall } from "../../exchange/codec.ts";
import type { Converted } from "../../exchange/loss.ts";
import type { ExchangeRequest } from "../../exchange/request.ts";
import type { ExchangeResponse } from "../../exchange/response.ts";
import { finishSteps, type Steps } from "../../exchange/steps.ts";

type SteppedName = "decodeRequest" | "encodeRequest" | "decodeResponse" | "encodeResponse";

interface SteppedCodec extends Omit<Codec, SteppedName | `${SteppedName}InSteps`> {
  readonly decodeRequest: (body: unknown, context: DecodeContext) => Steps<Converted<ExchangeRequest>>;
  readonly encodeRequest: (
    request: ExchangeRequest,
    capabilities: Capabilities,
  ) => Steps<Converted<UpstreamCall>>;
  readonly decodeResponse: (body: unknown, isLarge: boolean) => Steps<Converted<ExchangeResponse>>;
  readonly encodeResponse: (response: ExchangeResponse, context: EncodeContext) => Steps<Converted<unknown>>;
}

/** Creates the codec of a dialect whose conversions can pause. Only the methods whose names end in `InSteps` pause. */
export function createCodec({
  decodeRequest,
  encodeRequest,
  decodeResponse,
  encodeResponse,
  ...parts
}: SteppedCodec): Codec {
  return {
    ...parts,
    decodeRequest: (body, context) => finishSteps(decodeRequest(body, context)),
    decodeRequestInSteps: (body, context) => decodeRequest(body, { ...context, isLarge: true }),
    encodeRequest: (request, capabilities) => finishSteps(encodeRequest(request, capabilities)),
    encodeRequestInSteps: encodeRequest,
    decodeResponse: (body) => finishSteps(decodeResponse(body, false)),
    decodeResponseInSteps: (body) => decodeResponse(body, true),
    encodeResponse: (response, context) => finishSteps(encodeResponse(response, context)),
    encodeResponseInSteps: encodeResponse,
  };
}
