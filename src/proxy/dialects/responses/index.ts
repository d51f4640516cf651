import type { Codec } from "../../exchange/codec.ts";
import { finishSteps } from "../../exchange/steps.ts";
import { decodeRequest } from "./decode-request.ts";
import { decodeResponse } from "./decode-response.ts";
import { createStreamDecoder } from "./decode-stream.ts";
import { encodeRequest } from "./encode-request.ts";
import { encodeResponse } from "./encode-response.ts";
import { createStreamEncoder } from "./encode-stream.ts";
import { decodeError } from "./errors.ts";
import { responseId } from "./response-object.ts";

/** The codec of OpenAI's `/v1/responses` (https://platform.openai.com/docs/api-reference/responses). */
export const codec: Codec = {
  dialect: "responses",
  decodeRequest: (body, context) => finishSteps(decodeRequest(body, context)),
  decodeRequestInSteps: (body, context) => decodeRequest(body, { ...context, isLarge: true }),
  encodeRequest,
  decodeResponse: (body) => finishSteps(decodeResponse(body, false)),
  decodeResponseInSteps: (body) => decodeResponse(body, true),
  encodeResponse,
  createResponseId: responseId,
  createStreamDecoder,
  createStreamEncoder,
  decodeError,
};
