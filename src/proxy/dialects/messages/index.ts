import type { Codec } from "../../exchange/codec.ts";
import { defined } from "../../exchange/defined.ts";
import { DialectError, invalidResponse } from "../../exchange/dialect-error.ts";
import { isObject } from "../../exchange/json.ts";
import type { Converted } from "../../exchange/loss.ts";
import type { ExchangeResponse } from "../../exchange/response.ts";
import type { Steps } from "../../exchange/steps.ts";
import { createCodec } from "../shared/create-codec.ts";
import { decodeResponsePart, parseResponseInSteps, parseResponsePiece } from "../shared/parse.ts";
import { decodeContent } from "./decode-blocks.ts";
import { decodeRequest } from "./decode-request.ts";
import { createStreamDecoder } from "./decode-stream.ts";
import { encodeRequest } from "./encode-request.ts";
import { encodeResponse, messageId } from "./encode-response.ts";
import { createStreamEncoder } from "./encode-stream.ts";
import { decodeError, decodeInnerError } from "./errors.ts";
import { decodeFinish } from "./finish.ts";
import { responseSchema } from "./schema.ts";
import { decodeUsage } from "./usage.ts";

/** The codec of Anthropic's `/v1/messages`. */
export const codec: Codec = createCodec({
  dialect: "messages",
  decodeRequest,
  encodeRequest,
  decodeResponse,
  encodeResponse,
  createResponseId: messageId,
  createStreamDecoder,
  createStreamEncoder,
  decodeError,
});

/**
 * Parses a complete response body. Throws `DialectError` if the body is invalid, or if it is an error that the upstream
 * sent with status 200.
 */
function* decodeResponse(body: unknown, isLarge: boolean): Steps<Converted<ExchangeResponse>> {
  if (isObject(body) && body["content"] === undefined && body["type"] !== "message") {
    if (body["type"] === "error" || body["error"]) throw new DialectError(decodeInnerError(body));
    throw invalidResponse("The upstream's response is not a message.");
  }
  const wire = isLarge
    ? yield* parseResponseInSteps(responseSchema, body, "message")
    : parseResponsePiece(responseSchema, body, "message");
  const finish = decodeFinish(wire.stop_reason, wire.stop_sequence, wire.stop_details?.explanation);
  const parts = yield* decodeResponsePart(decodeContent(wire.content, "content"), wire.content);
  const value = defined({
    id: wire.id || undefined,
    model: wire.model || undefined,
    candidates: [{ parts, finish }],
    usage: wire.usage ? decodeUsage(wire.usage) : undefined,
  });
  return { value, losses: [] };
}
