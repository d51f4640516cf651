import type { PlanDecision } from "../../review/decision.ts";

/** How much of a hook's output an agent reads. */
export interface OutputLimit {
  readonly agent: string;
  /** In bytes. A reply beyond it would be cut off, which makes it no JSON and the decision a lost one. */
  readonly bytes: number;
}

/** The reply with as many of the words as fit, and where the model finds all of them. Pure. */
export function fittingReply(
  words: string,
  { savedPath }: PlanDecision,
  { agent, bytes }: OutputLimit,
  encode: (words: string) => string,
): string {
  const whole = encode(words);
  if (Buffer.byteLength(whole) <= bytes) return whole;
  const place = savedPath === undefined ? "`sallyport review last` prints it" : `it is in ${savedPath}`;
  const rest = `\n\n[Too long for ${agent}: the end is missing here; ${place}.]`;
  for (let length = words.length; ; length = Math.floor(length * 0.9)) {
    const reply = encode(words.slice(0, length) + rest);
    if (Buffer.byteLength(reply) <= bytes) return reply;
  }
}
