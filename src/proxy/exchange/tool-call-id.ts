import { createHash } from "node:crypto";

/** Describes the tool call ids that a dialect accepts. Vendors document few limits; these are the enforced ones. */
export interface CallIdRule {
  readonly pattern: RegExp;
  readonly maxLength: number;
}

const wrapped = /^call_w_([a-zA-Z0-9_-]+)$/;

/**
 * Returns a call id that the dialect accepts: the vendor's own if possible, else an encoding that `toCallId` decodes
 * when the client sends it back, so that ids match across turns without state. An id that is too long to encode
 * becomes a digest, always the same one.
 */
export function toCallId(rule: CallIdRule, id: string): string {
  const own = unwrapCallId(id);
  const { pattern, maxLength } = rule;
  if (own.length <= maxLength && pattern.test(own)) return own;
  const wrapping = `call_w_${Buffer.from(own).toString("base64url")}`;
  return wrapping.length <= maxLength ? wrapping : `call_h_${digest(own)}`;
}

/**
 * Returns a call id of nine letters and digits, as Mistral requires (https://docs.mistral.ai, `^[a-zA-Z0-9]{9}$`):
 * the vendor's own if it matches, else a digest, always the same one.
 */
export function shortCallId(id: string): string {
  const own = unwrapCallId(id);
  if (/^[a-zA-Z0-9]{9}$/.test(own)) return own;
  const bytes = createHash("sha256").update(own).digest();
  return bytes.readBigUInt64BE().toString(36).padStart(9, "0").slice(-9);
}

/** Returns the vendor's id from an id that `toCallId` encoded; any other id unchanged. */
export function unwrapCallId(id: string): string {
  const inner = wrapped.exec(id)?.[1];
  if (inner === undefined) return id;
  const own = Buffer.from(inner, "base64url").toString();
  return Buffer.from(own).toString("base64url") === inner ? own : id;
}

/**
 * Returns an id for a call without one. The same arguments return the same id, so that the next turn sends the same
 * bytes. `position` locates the call (response id or turn number, and its index).
 */
export function createCallId(name: string, ...position: readonly (string | number)[]): string {
  return `call_m_${digest(JSON.stringify([name, ...position]))}`;
}

/** Returns whether `createCallId` made the id; the vendor does not know such an id, so it need not be sent. */
export function isCreatedCallId(id: string): boolean {
  return id.startsWith("call_m_");
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 24);
}
