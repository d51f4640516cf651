import { createHash } from "node:crypto";

/** Ids of tool calls that a dialect accepts. Vendors document few limits; these are the enforced ones. */
export interface CallIdRule {
  readonly pattern: RegExp;
  readonly maxLength: number;
}

const wrapped = /^call_w_([a-zA-Z0-9_-]+)$/;

/**
 * A call's id in a form the dialect takes: the vendor's own where it can be, else a wrapping that `toCallId` opens
 * again when the client sends it back, so that a conversation links up turn after turn without any state. Ids too long
 * to be wrapped become a digest, the same one each time.
 */
export function toCallId(rule: CallIdRule, id: string): string {
  const own = unwrapCallId(id);
  const { pattern, maxLength } = rule;
  if (own.length <= maxLength && pattern.test(own)) return own;
  const wrapping = `call_w_${Buffer.from(own).toString("base64url")}`;
  return wrapping.length <= maxLength ? wrapping : `call_h_${digest(own)}`;
}

/**
 * Returns a call's id as Mistral takes it, nine letters and digits: its own where it is that, else a digest, the same one
 * each time (https://docs.mistral.ai, `^[a-zA-Z0-9]{9}$`).
 */
export function shortCallId(id: string): string {
  const own = unwrapCallId(id);
  if (/^[a-zA-Z0-9]{9}$/.test(own)) return own;
  const bytes = createHash("sha256").update(own).digest();
  return bytes.readBigUInt64BE().toString(36).padStart(9, "0").slice(-9);
}

/** The vendor's own id out of a wrapping made by `toCallId`; any other id as it is. */
export function unwrapCallId(id: string): string {
  const inner = wrapped.exec(id)?.[1];
  if (inner === undefined) return id;
  const own = Buffer.from(inner, "base64url").toString();
  return Buffer.from(own).toString("base64url") === inner ? own : id;
}

/**
 * An id for a call that came without one: the same for the same place, so that the next turn sends the same bytes.
 * `position` says where the call stands (response id or turn number, and its position).
 */
export function createCallId(name: string, ...position: readonly (string | number)[]): string {
  return `call_m_${digest(JSON.stringify([name, ...position]))}`;
}

/** Whether an id was made by `createCallId`: it means nothing to the vendor, and need not be sent to it. */
export function isCreatedCallId(id: string): boolean {
  return id.startsWith("call_m_");
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 24);
}
