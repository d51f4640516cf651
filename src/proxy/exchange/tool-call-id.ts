import { hash } from "node:crypto";

/** The tool call ids that a dialect's vendor accepts. Vendors document few of these limits, but enforce them. */
export interface CallIdRule {
  readonly pattern: RegExp;
  readonly maxLength: number;
}

const wrapped = /^call_w_([a-zA-Z0-9_-]+)$/;

/**
 * Returns a call id that the dialect accepts: the vendor's own id if possible, else an encoding of it. When the client
 * sends the encoding back, `toCallId` decodes it, so that the proxy need not store ids. An id that is too long to
 * encode becomes its digest.
 */
export function toCallId(rule: CallIdRule, id: string): string {
  const own = unwrapCallId(id);
  const { pattern, maxLength } = rule;
  if (own.length <= maxLength && pattern.test(own)) return own;
  const wrapping = `call_w_${Buffer.from(own).toString("base64url")}`;
  return wrapping.length <= maxLength ? wrapping : `call_h_${digest(own)}`;
}

/**
 * Returns a call id of nine letters and digits, as Mistral requires (https://docs.mistral.ai): the vendor's own id if
 * it has this form, else its digest.
 */
export function shortCallId(id: string): string {
  const own = unwrapCallId(id);
  if (/^[a-zA-Z0-9]{9}$/.test(own)) return own;
  const bytes = hash("sha256", own, "buffer");
  return bytes.readBigUInt64BE().toString(36).padStart(9, "0").slice(-9);
}

/** Decodes an id that `toCallId` encoded. Returns any other id unchanged. */
export function unwrapCallId(id: string): string {
  const inner = wrapped.exec(id)?.[1];
  if (inner === undefined) return id;
  const own = Buffer.from(inner, "base64url").toString();
  return Buffer.from(own).toString("base64url") === inner ? own : id;
}

/**
 * Returns an id for a call that has none. The id depends only on the tool's name and `position`, so that it is the same
 * in every request, and prompt caches match. `position` is usually the id of the response or the index of the message,
 * followed by indexes within it.
 */
export function createCallId(name: string, ...position: readonly (string | number)[]): string {
  return `call_m_${digest(JSON.stringify([name, ...position]))}`;
}

/** Returns whether `createCallId` made the id. Encoders of dialects whose calls need no id leave such an id out. */
export function isCreatedCallId(id: string): boolean {
  return id.startsWith("call_m_");
}

function digest(text: string): string {
  return hash("sha256", text, "base64url").slice(0, 24);
}
