import type { CaptureTable } from "../../database/schema.ts";
import { listSecrets } from "../auth/credentials.ts";
import { type CapturedBodies, toCaptureRow } from "../gateway/captures.ts";
import { createRedactor, type Redact, redactKeyShapes, redactOwnKeys } from "../redact.ts";
import type { Call } from "./call.ts";
import { CAPTURE_MARGIN, type TappedText } from "./response-tap.ts";

/**
 * Returns a function that redacts secrets in the content of a call: those of the configuration, the proxy's keys, the
 * client's credentials, and texts with the format of a key, a token, a private key or a URL's password.
 */
export function createContentRedactor({ runtime, request }: Call): Redact {
  const own = createRedactor(listSecrets(request));
  return (text) => redactKeyShapes(redactOwnKeys(own(runtime.redact(text)), runtime.keys));
}

/**
 * Returns the database row with a call's request and response bodies. Secrets are redacted, and each body is cut to
 * `capture_max` bytes.
 */
export function captureBodies(
  call: Call,
  body: Buffer | undefined,
  tapped: TappedText,
): Promise<CaptureTable> {
  const { maxBytes } = call.runtime.config.capture;
  const redact = createContentRedactor(call);
  const toBody = (head: string, bytes: number, isWhole: boolean): CapturedBodies["request"] => {
    const clean = Buffer.from(redact(head));
    const truncated = !isWhole || clean.length > maxBytes;
    return { text: truncated ? cut(clean, maxBytes) : clean.toString("utf8"), bytes, truncated };
  };
  const kept = body?.subarray(0, maxBytes + CAPTURE_MARGIN);
  return toCaptureRow(call.id, Date.now(), {
    request: body && kept ? toBody(kept.toString("utf8"), body.length, kept.length === body.length) : null,
    response: tapped.size === 0 ? null : toBody(tapped.head, tapped.size, tapped.isWhole),
  });
}

/** Returns the first bytes as text, without an incomplete character at the end. */
function cut(bytes: Buffer, limit: number): string {
  return bytes
    .subarray(0, limit)
    .toString("utf8")
    .replace(/\uFFFD+$/, "");
}
