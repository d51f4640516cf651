import type { Serializable } from "node:child_process";
import type { Worker } from "node:cluster";

/** What node:cluster sends beside a connection that it hands to a worker, which answers with the number as `ack`. */
interface Handover {
  readonly act?: unknown;
  readonly seq?: unknown;
  readonly ack?: unknown;
}

interface Connection {
  close(): void;
}

/**
 * Gives a function for the end of a worker, which breaks off the connections that were handed to it and that it had not
 * taken yet. node:cluster forgets them (Node.js 20 and 22, `RoundRobinHandle.handoff`): their clients would wait for ever.
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
  process.on("internalMessage", (message: Handover) => untaken.delete(message.ack));
  return () => {
    for (const connection of untaken.values()) connection.close();
    untaken.clear();
  };
}

function isConnection(value: unknown): value is Connection {
  return typeof value === "object" && value !== null && "close" in value;
}
