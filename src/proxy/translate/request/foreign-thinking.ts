import { getProfile } from "../../dialects/index.ts";
import { isObject, parseJson, stringifyJson } from "../../exchange/json.ts";
import type { Dialect } from "../../exchange/parts.ts";

const members = ["signature", "data", "encrypted_content", "thoughtSignature", "thought_signature"];

/**
 * Removes from the body of a native call the reasoning that another vendor created earlier in the conversation: the
 * upstream would reject its signature, and with it the call. Returns the client's bytes if they contain no wrapped
 * signature.
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
  // The prefix may also occur in a text; then nothing was removed.
  return text.length === stringifyJson(value).length ? body : Buffer.from(text);
}

/** Returns a turn without its foreign parts; no turn if nothing else is left. */
function cleanTurn(turn: unknown, prefix: string): unknown[] {
  if (!isObject(turn)) return [turn];
  const key = Array.isArray(turn["parts"]) ? "parts" : "content";
  const parts = turn[key];
  if (!Array.isArray(parts) || !parts.some((part) => isForeign(part, prefix))) return [turn];
  const own = parts.flatMap((part) => (isForeign(part, prefix) ? keepCall(part) : [part]));
  return own.length > 0 ? [{ ...turn, [key]: own }] : [];
}

/** Keeps a tool call without its signature: generative-language signs calls. */
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
