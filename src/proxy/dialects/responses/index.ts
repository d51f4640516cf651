import type { Codec } from "../../exchange/codec.ts";
import { decodeRequest } from "./decode-request.ts";
import { decodeResponse } from "./decode-response.ts";
import { createStreamDecoder } from "./decode-stream.ts";
import { encodeRequest } from "./encode-request.ts";
import { encodeResponse } from "./encode-response.ts";
import { createStreamEncoder } from "./encode-stream.ts";
import { decodeError, encodeError } from "./errors.ts";

/** `POST /v1/responses`, https://platform.openai.com/docs/api-reference/responses. */
export const responses: Codec = {
  dialect: "responses",
  decodeRequest,
  encodeRequest,
  decodeResponse,
  encodeResponse,
  createStreamDecoder,
  createStreamEncoder,
  decodeError,
  encodeError,
};
