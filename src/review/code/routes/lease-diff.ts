import type { FastifyReply } from "fastify";
import type { HeldDiff } from "../../git/diff-session.ts";

/** Waits for a diff and keeps it readable until the response is closed. */
export async function holdDiff(reply: FastifyReply, diff: Promise<HeldDiff>): Promise<HeldDiff> {
  const lease = await diff;
  if (reply.raw.closed) lease.release();
  else reply.raw.once("close", lease.release);
  return lease;
}
