import { turnIfLarge } from "../../../json/bounds.ts";
import { invalidRequest } from "../../exchange/dialect-error.ts";
import { guardJson, parseJson } from "../../exchange/json.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Parses a client's body. The bounds of its values and depth are checked earlier (`pipeline/call-body.ts`). Throws
 * `DialectError` (400) for invalid UTF-8 or JSON, nesting deeper than 256 levels and members named `__proto__`.
 */
export async function readRequestJson(body: Uint8Array): Promise<unknown> {
  const text = decode(body);
  await turnIfLarge(body.length);
  const value = parse(text);
  await turnIfLarge(body.length);
  guardJson(value);
  return value;
}

function decode(body: Uint8Array): string {
  try {
    return utf8.decode(body);
  } catch {
    throw invalidRequest("The body is not valid UTF-8.");
  }
}

function parse(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw invalidRequest(`The body is not valid JSON: ${error instanceof Error ? error.message : ""}`);
  }
}
