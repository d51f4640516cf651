import type { Codec } from "../../exchange/codec.ts";
import { decodeRequest } from "./decode-request.ts";
import { decodeResponse } from "./decode-response.ts";
import { createStreamDecoder } from "./decode-stream.ts";
import { encodeRequest } from "./encode-request.ts";
import { encodeResponse } from "./encode-response.ts";
import { createStreamEncoder } from "./encode-stream.ts";
import { decodeError } from "./errors.ts";

/** The codec of OpenAI's legacy `/v1/completions`: a prompt and its completion. */
export const codec: Codec = {
  dialect: "completions",
  decodeRequest,
  // biome-ignore lint/correctness/useYield: the dialect has no list that is converted element by element.
  *decodeRequestInSteps(body) {
    return decodeRequest(body);
  },
  encodeRequest,
  // biome-ignore lint/correctness/useYield: as above
  *encodeRequestInSteps(request, capabilities) {
    return encodeRequest(request, capabilities);
  },
  decodeResponse,
  // biome-ignore lint/correctness/useYield: as above
  *decodeResponseInSteps(body) {
    return decodeResponse(body);
  },
  encodeResponse,
  // biome-ignore lint/correctness/useYield: as above
  *encodeResponseInSteps(response, context) {
    return encodeResponse(response, context);
  },
  createStreamDecoder,
  createStreamEncoder,
  decodeError,
};
