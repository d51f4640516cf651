import { once } from "node:events";
import { connect } from "node:net";

/** Writes bytes as they are to a server, and takes what comes until it closes or has given one whole answer. */
export async function sendRaw(port: number, bytes: string | readonly string[]): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  let text = "";
  socket.on("error", () => {});
  socket.on("data", (chunk) => {
    text += chunk.toString("latin1");
    if (isWholeResponse(text)) socket.end();
  });
  const closed = once(socket, "close");
  for (const piece of typeof bytes === "string" ? [bytes] : bytes) {
    if (socket.destroyed) break;
    socket.write(piece, "latin1");
    // Each piece in a packet of its own.
    await new Promise((resolve) => setImmediate(resolve));
  }
  await closed;
  return text;
}

/** Writes bytes and hangs up after some turns of the event loop, answered or not. */
export async function throwAt(port: number, bytes: Buffer, turns: number): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {}).on("data", () => {});
  const closed = once(socket, "close");
  socket.write(bytes);
  for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  socket.end();
  // A server that goes on with its answer is not waited for.
  setImmediate(() => socket.destroySoon());
  await closed;
}

/** The statuses of all answers in what came. */
export function statusesIn(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)]
    .map(([, status]) => Number(status))
    .filter((status) => status !== 100);
}

function isWholeResponse(text: string): boolean {
  const response = text.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, "");
  const end = response.indexOf("\r\n\r\n");
  if (end === -1) return false;
  const length = /^content-length: (\d+)/im.exec(response.slice(0, end))?.[1];
  return length === undefined ? response.endsWith("0\r\n\r\n") : response.length >= end + 4 + Number(length);
}
