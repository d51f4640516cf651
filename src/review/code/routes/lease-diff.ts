import type { FastifyReply } from "fastify";
import type { DiffLease } from "../../diff-session.ts";

/** Waits for a diff and keeps it readable until the response is closed. */
export async function leaseDiff(reply: FastifyReply, diff: Promise<DiffLease>): Promise<DiffLease> {
  const lease = await diff;
  if (reply.raw.closed) lease.release();
  else reply.raw.once("close", lease.release);
  return lease;
}
