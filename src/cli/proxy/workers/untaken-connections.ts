import type { Serializable } from "node:child_process";
import type { Worker } from "node:cluster";

/** What node:cluster sends beside a connection that it hands to a worker, which answers with the number as `ack`. */
interface Handover {
  readonly act?: unknown;
  readonly seq?: unknown;
  readonly ack?: unknown;
  /** `NODE_HANDLE_NACK`: the message has arrived without the connection. */
  readonly cmd?: unknown;
}

/** Milliseconds for which a worker that could not receive a connection is given no other. */
const PAUSE_MS = 1_000;

interface Connection {
  close(): void;
}

/**
 * Gives a function for the end of a worker, which breaks off the connections that were handed to it and that it had not
 * taken yet. node:cluster forgets them (Node.js 20 and 22, `RoundRobinHandle.handoff`): their clients would wait for ever.
 * Also ends handovers to a worker that has no descriptor left: Node.js drops them after four attempts without telling
 * node:cluster, which would never give that worker a connection again.
 */
export function watchUntaken(worker: Worker): () => void {
  const untaken = new Map<unknown, Connection>();
  const { process } = worker;
  const send = process.send.bind(process) as (...given: unknown[]) => boolean;
  process.send = (message: Serializable, ...rest: unknown[]): boolean => {
    const { act, seq } = Object(message) as Handover;
    const [connection] = rest;
    if (act === "newconn" && isConnection(connection)) untaken.set(seq, connection);
    return send(message, ...rest);
  };
  let pause: NodeJS.Timeout | undefined;
  process.on("internalMessage", (message: Handover) => {
    untaken.delete(message.ack);
    if (message.cmd !== "NODE_HANDLE_NACK" || pause !== undefined) return;
    const refused = [...untaken.keys()];
    pause = setTimeout(() => {
      pause = undefined;
      // What node:cluster waits for: it closes the connection here and gives the worker the next one.
      for (const ack of refused)
        if (untaken.has(ack))
          process.emit("internalMessage", { cmd: "NODE_CLUSTER", ack, accepted: true }, undefined);
    }, PAUSE_MS);
  });
  return () => {
    clearTimeout(pause);
    for (const connection of untaken.values()) connection.close();
    untaken.clear();
  };
}

function isConnection(value: unknown): value is Connection {
  return typeof value === "object" && value !== null && "close" in value;
}
