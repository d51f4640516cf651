import type { Codec } from "../../exchange/codec.ts";
import { createCodec } from "../shared/create-codec.ts";
import { decodeRequest } from "./decode-request.ts";
import { decodeResponse } from "./decode-response.ts";
import { createStreamDecoder } from "./decode-stream.ts";
import { encodeRequest } from "./encode-request.ts";
import { encodeResponse, messageId } from "./encode-response.ts";
import { createStreamEncoder } from "./encode-stream.ts";
import { decodeError } from "./errors.ts";

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
