import { invalidRequest } from "../exchange/dialect-error.ts";
import { guardJson, parseJson } from "../exchange/json.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * A client's body as JSON. Throws `DialectError` (400) for invalid UTF-8 or JSON, nesting deeper than 256 levels and
 * members named `__proto__`.
 */
export function readRequestJson(body: Uint8Array): unknown {
  let text: string;
  try {
    text = utf8.decode(body);
  } catch {
    throw invalidRequest("The body is not valid UTF-8.");
  }
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    throw invalidRequest(`The body is not valid JSON: ${error instanceof Error ? error.message : ""}`);
  }
  guardJson(value);
  return value;
}
