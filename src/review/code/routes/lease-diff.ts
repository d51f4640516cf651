import type { FastifyReply } from "fastify";
import type { z } from "zod";
import { AppError } from "../../../errors.ts";
import type { DiffLease, DiffSession } from "../../diff-session.ts";
import type { diffQuery } from "../code-schemas.ts";

/** Waits for a diff and keeps it readable until the response is closed. */
export async function leaseDiff(
  reply: FastifyReply,
  diff: DiffLease | Promise<DiffLease>,
): Promise<DiffLease> {
  const lease = await diff;
  if (reply.raw.closed) lease.release();
  else reply.raw.once("close", lease.release);
  return lease;
}

/**
 * Leases the current diff with all changes, to read complete files: a diff without whitespace changes may not have
 * them. Throws `conflict` if the query names another diff.
 */
export async function leaseWholeDiff(
  reply: FastifyReply,
  diffs: DiffSession,
  { id, w }: z.infer<typeof diffQuery>,
): Promise<DiffLease> {
  const lease = await diffs.whole(id, w === "1");
  if (!lease) throw conflict();
  return leaseDiff(reply, lease);
}

/**
 * Leases the current diff. Throws `conflict` if the query names another diff: the diff has changed since the page
 * loaded it.
 */
export async function leaseQueriedDiff(
  reply: FastifyReply,
  diffs: DiffSession,
  { id, w }: z.infer<typeof diffQuery>,
): Promise<DiffLease> {
  const lease = await leaseDiff(reply, diffs.current(w === "1"));
  if (id !== undefined && id !== lease.snapshot.diffId) throw conflict();
  return lease;
}

function conflict(): AppError {
  return new AppError("conflict", "The diff has changed. Load its index again.");
}
