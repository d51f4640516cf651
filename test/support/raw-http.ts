import { once } from "node:events";
import { connect } from "node:net";

/**
 * Writes bytes unchanged to a server, and reads until the server closes the connection or has sent one complete
 * response.
 */
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
    // Each piece is sent in a separate packet.
    await new Promise((resolve) => setImmediate(resolve));
  }
  await closed;
  return text;
}

/** Writes bytes and disconnects after some turns of the event loop, with or without a response. */
export async function throwAt(port: number, bytes: Buffer, turns: number): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {}).on("data", () => {});
  const closed = once(socket, "close");
  socket.write(bytes);
  for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  socket.end();
  // Does not wait for a server that continues its response.
  setImmediate(() => socket.destroySoon());
  await closed;
}

/** Returns the statuses of all received responses. */
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
