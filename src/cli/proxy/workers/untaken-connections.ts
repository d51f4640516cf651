import type { Serializable } from "node:child_process";
import type { Worker } from "node:cluster";

/**
 * The message of node:cluster that hands a connection to a worker, or the worker's response, whose `ack` is
 * the `seq` of the message.
 */
interface Handover {
  readonly act?: unknown;
  readonly seq?: unknown;
  readonly ack?: unknown;
  /** `NODE_HANDLE_NACK`: the message arrived without the connection. */
  readonly cmd?: unknown;
}

/** Milliseconds to wait before a worker that could not receive a connection is offered another. */
const PAUSE_MS = 1_000;

interface Connection {
  close(): void;
}

/**
 * Tracks the connections that are handed to a worker and returns a function to call when the worker ends. That function
 * closes the connections that the worker had not accepted yet: node:cluster drops its references to them (Node.js 20
 * and 22, `RoundRobinHandle.handoff`), so their clients would wait forever. The tracking also ends handovers to a
 * worker that is out of file descriptors: Node.js drops them after four attempts without notifying node:cluster, which
 * would never use that worker again.
 */
export function trackPendingConnections(worker: Worker): () => void {
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
      // node:cluster waits for this message. It then closes the connection in this process and offers the
      // worker the next one.
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
