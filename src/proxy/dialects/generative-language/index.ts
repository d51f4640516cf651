import type { Codec } from "../../exchange/codec.ts";
import { createCodec } from "../shared/create-codec.ts";
import { decodeRequest } from "./decode-request.ts";
import { decodeResponse } from "./decode-response.ts";
import { createStreamDecoder } from "./decode-stream.ts";
import { encodeRequest } from "./encode-request.ts";
import { encodeResponse } from "./encode-response.ts";
import { createStreamEncoder } from "./encode-stream.ts";
import { decodeError } from "./errors.ts";

/**
 * The codec of Google's `generateContent` and `streamGenerateContent` (https://ai.google.dev/api/generate-content).
 */
export const codec: Codec = createCodec({
  dialect: "generative-language",
  decodeRequest,
  encodeRequest,
  decodeResponse,
  encodeResponse,
  createStreamDecoder,
  createStreamEncoder,
  decodeError,
});
