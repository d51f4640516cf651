import { defined } from "../../exchange/defined.ts";
import { DialectError } from "../../exchange/dialect-error.ts";
import { isObject } from "../../exchange/json.ts";
import type { Converted } from "../../exchange/loss.ts";
import type { ExchangeResponse } from "../../exchange/response.ts";
import type { Steps } from "../../exchange/steps.ts";
import { parseResponseInSteps, parseResponsePiece } from "../shared/parse.ts";
import { decodeContent } from "./decode-blocks.ts";
import { decodeError } from "./errors.ts";
import { decodeFinish } from "./finish.ts";
import { responseSchema } from "./schema.ts";
import { decodeUsage } from "./usage.ts";

/** Parses a complete response body. Throws `DialectError` if it is invalid or an error sent with status 200. */
export function* decodeResponse(body: unknown, isLarge: boolean): Steps<Converted<ExchangeResponse>> {
  if (isObject(body) && body["type"] === "error") throw new DialectError(decodeError(502, {}, body));
  const wire = isLarge
    ? yield* parseResponseInSteps(responseSchema, body, "message")
    : parseResponsePiece(responseSchema, body, "message");
  const finish = decodeFinish(wire.stop_reason, wire.stop_sequence, wire.stop_details?.explanation);
  const value = defined({
    id: wire.id || undefined,
    model: wire.model || undefined,
    candidates: [{ parts: yield* decodeContent(wire.content, "content"), finish }],
    usage: wire.usage ? decodeUsage(wire.usage) : undefined,
  });
  return { value, losses: [] };
}
