import { getProfile } from "../../dialects/index.ts";
import { isObject, parseJson, stringifyJson } from "../../exchange/json.ts";
import type { Dialect } from "../../exchange/parts.ts";

const members = ["signature", "data", "encrypted_content", "thoughtSignature", "thought_signature"];

/**
 * The body of a native call without thinking that another vendor did earlier in the conversation: its own vendor would
 * refuse the signature, and with it the call. The bytes are the client's own wherever there is no such thinking, which a
 * search for the seal tells.
 */
export function withoutForeignThinking(dialect: Dialect, body: Buffer): Buffer {
  const { client, turnsMember } = getProfile(dialect);
  const prefix = client.signaturePrefix;
  if (!body.includes(prefix)) return body;
  let value: unknown;
  try {
    value = parseJson(body.toString());
  } catch {
    return body;
  }
  if (!isObject(value) || turnsMember === undefined) return body;
  const turns = value[turnsMember];
  if (!Array.isArray(turns)) return body;
  const cleaned = turns.filter((turn) => !isForeign(turn, prefix)).flatMap((turn) => cleanTurn(turn, prefix));
  const text = stringifyJson({ ...value, [turnsMember]: cleaned });
  // The seal may stand in somebody's words; then nothing was to be done.
  return text.length === stringifyJson(value).length ? body : Buffer.from(text);
}

/** A turn without its foreign parts; none at all where nothing else was in it. */
function cleanTurn(turn: unknown, prefix: string): unknown[] {
  if (!isObject(turn)) return [turn];
  const key = Array.isArray(turn["parts"]) ? "parts" : "content";
  const parts = turn[key];
  if (!Array.isArray(parts) || !parts.some((part) => isForeign(part, prefix))) return [turn];
  const own = parts.flatMap((part) => (isForeign(part, prefix) ? keepCall(part) : [part]));
  return own.length > 0 ? [{ ...turn, [key]: own }] : [];
}

/** Generative-language signs calls: a call stays, without the signature. */
function keepCall(part: unknown): unknown[] {
  if (!isObject(part) || !("functionCall" in part || "function_call" in part)) return [];
  return [Object.fromEntries(Object.entries(part).filter(([key]) => !members.includes(key)))];
}

function isForeign(part: unknown, prefix: string): boolean {
  if (!isObject(part)) return false;
  return members.some((member) => {
    const signature = part[member];
    return typeof signature === "string" && signature.startsWith(prefix);
  });
}
