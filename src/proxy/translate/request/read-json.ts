import { turnIfLarge } from "../../../json/bounds.ts";
import { type DialectError, invalidRequest } from "../../exchange/dialect-error.ts";
import { guardJson, parseJson } from "../../exchange/json.ts";
import { LARGE_JSON, parseLargeJson } from "../large-json.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Parses a client's body, whose number of values and depth have been checked (`pipeline/call-body.ts`). Throws
 * `DialectError` (400) for invalid UTF-8 or JSON, nesting deeper than 256 levels and members named `__proto__`.
 */
export async function readRequestJson(body: Uint8Array): Promise<unknown> {
  const value = body.length > LARGE_JSON ? await parseLarge(body) : await parseSmall(body);
  await turnIfLarge(body.length);
  guardJson(value);
  return value;
}

async function parseSmall(body: Uint8Array): Promise<unknown> {
  const text = decode(body);
  await turnIfLarge(body.length);
  return parse(text);
}

async function parseLarge(body: Uint8Array): Promise<unknown> {
  try {
    return await parseLargeJson(body, { fatal: true });
  } catch (error) {
    throw error instanceof SyntaxError ? invalidJson(error) : invalidUtf8();
  }
}

function decode(body: Uint8Array): string {
  try {
    return utf8.decode(body);
  } catch {
    throw invalidUtf8();
  }
}

function parse(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw invalidJson(error);
  }
}

function invalidUtf8(): DialectError {
  return invalidRequest("The body is not valid UTF-8.");
}

function invalidJson(error: unknown): DialectError {
  return invalidRequest(`The body is not valid JSON: ${error instanceof Error ? error.message : ""}`);
}
