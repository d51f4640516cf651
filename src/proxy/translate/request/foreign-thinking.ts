import { getProfile } from "../../dialects/index.ts";
import { isObject, parseJson, stringifyJson } from "../../exchange/json.ts";
import type { Dialect } from "../../exchange/parts.ts";
import { introduceSummary, unwrapSummary } from "../../exchange/signature.ts";
import { LARGE_JSON, parseLargeJson, stringifyLargeJson } from "../large-json.ts";

const members = ["signature", "data", "encrypted_content", "thoughtSignature", "thought_signature"];

/**
 * Removes the reasoning of other vendors from the body of a native call, because the upstream would reject a call with
 * their signatures. Replaces each summary that the proxy requested with a message. Returns the client's bytes if there
 * is nothing to change, or if they are not JSON. Returns a promise only for a large body.
 */
export function withoutForeignThinking(dialect: Dialect, body: Buffer): Buffer | Promise<Buffer> {
  const { client, turnsMember } = getProfile(dialect);
  const prefix = client.signaturePrefix;
  if (turnsMember === undefined || !body.includes(prefix)) return body;
  if (body.length > LARGE_JSON) return cleanLargeBody(body, turnsMember, prefix);
  try {
    const cleaned = cleanBody(parseJson(body.toString()), turnsMember, prefix);
    return cleaned === undefined ? body : Buffer.from(stringifyJson(cleaned));
  } catch {
    return body;
  }
}

async function cleanLargeBody(body: Buffer, turnsMember: string, prefix: string): Promise<Buffer> {
  try {
    const cleaned = cleanBody(await parseLargeJson(body, { fatal: false }), turnsMember, prefix);
    return cleaned === undefined ? body : await stringifyLargeJson(cleaned);
  } catch {
    return body;
  }
}

/**
 * Returns a body without its foreign parts and with its summaries as messages; undefined if it has neither, as when the
 * prefix occurs only in text.
 */
function cleanBody(value: unknown, turnsMember: string, prefix: string): unknown {
  const turns = isObject(value) ? value[turnsMember] : undefined;
  if (!isObject(value) || !Array.isArray(turns)) return undefined;
  const cleaned = turns
    .map(withSummary)
    .filter((turn) => !isForeign(turn, prefix))
    .flatMap((turn) => cleanTurn(turn, prefix));
  const isUnchanged =
    cleaned.length === turns.length && cleaned.every((turn, index) => turn === turns[index]);
  return isUnchanged ? undefined : { ...value, [turnsMember]: cleaned };
}

/**
 * Converts a compaction item to a message if it contains a summary that the proxy requested. Returns any other turn
 * unchanged.
 */
function withSummary(turn: unknown): unknown {
  if (!isObject(turn) || turn["type"] !== "compaction") return turn;
  const summary = unwrapSummary(turn["encrypted_content"]);
  return summary === undefined ? turn : { type: "message", role: "user", content: introduceSummary(summary) };
}

/**
 * Returns a list that contains the turn without its foreign parts, or an empty list if no part remains. A foreign tool
 * call remains, without its signature.
 */
function cleanTurn(turn: unknown, prefix: string): unknown[] {
  if (!isObject(turn)) return [turn];
  const key = Array.isArray(turn["parts"]) ? "parts" : "content";
  const parts = turn[key];
  if (!Array.isArray(parts) || !parts.some((part) => isForeign(part, prefix))) return [turn];
  const own = parts.flatMap((part) => (isForeign(part, prefix) ? keepCall(part) : [part]));
  return own.length > 0 ? [{ ...turn, [key]: own }] : [];
}

/** Returns a tool call without its signature, because generative-language vendors sign calls; drops any other part. */
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
