import { setTimeout as pause } from "node:timers/promises";
import type { Services } from "../services.ts";
import type { Replica } from "./replica-registry.ts";

/** Milliseconds between two reports, and until the first one; by then, the database is usually open. */
const REPORT_MS = 5_000;
const FIRST_MS = 500;
/** Milliseconds that this process waits for the database when it ends. */
const LEAVE_MS = 1_000;

/**
 * Reports regularly to the database that this process serves calls, for the list of replicas (`ReplicaRegistry`).
 * Returns a function that stops the reports and removes this process from the list.
 */
export function startHeartbeat(services: Services): () => Promise<void> {
  const report = async () => {
    const store = await services.gateway.store();
    await store.report(ownReplica(services));
  };
  // While the database is down, other replicas do not list this one.
  const beat = () => void report().catch(() => {});
  const timer = setInterval(beat, REPORT_MS).unref();
  const first = setTimeout(beat, FIRST_MS).unref();
  return async () => {
    clearTimeout(first);
    clearInterval(timer);
    const leaving = leave(services).catch(() => {});
    await Promise.race([leaving, pause(LEAVE_MS, undefined, { ref: false })]);
  };
}

async function leave({ gateway, replicaId }: Services): Promise<void> {
  if ((await gateway.state()).status === "ok") await (await gateway.store()).leave(replicaId);
}

/** Returns this process as a replica. */
export function ownReplica({ replicaId, version, metrics }: Services): Replica {
  const since = Math.round(performance.timeOrigin);
  return { id: replicaId, version, since, inFlight: metrics.active };
}
