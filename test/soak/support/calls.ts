import { Agent, fetch } from "undici";
import { question } from "../../support/faulty-upstream.ts";
import { type ClientDialect, DIALECTS } from "../../support/vendor-responses.ts";
import { type Order, piecesOf, promptOf } from "./vendor.ts";
import { streamOf, textOf } from "./wire.ts";

/** One call: its client, upstream and request, and whether the client disconnects early. */
export interface SoakCall {
  readonly client: ClientDialect;
  readonly upstream: ClientDialect;
  readonly isStream: boolean;
  readonly order: Order;
  /** Milliseconds after which the client disconnects. */
  readonly leavesAfter?: number;
}

/** The persistent connections of all clients. */
const connections = new Agent();

/** Closes the persistent connections of the clients, which make no calls afterwards. */
export function hangUp(): Promise<void> {
  return connections.close();
}

/** The problem of a call; undefined if the call was correct. */
export type Finding = string | undefined;

/** Milliseconds, of successful calls only. */
export interface Times {
  readonly firstByte: number[];
  readonly total: number[];
}

/** Returns a random call: most succeed, a sixth has a fault, and a tenth is canceled by the client. */
export function randomCall(random: () => number, serial: number): SoakCall {
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item;
  const [client, upstream, isStream] = [pick(DIALECTS), pick(DIALECTS), random() < 0.7];
  const fate = random();
  const kind =
    fate < 0.75 ? "good" : fate < 0.8 ? "reset" : fate < 0.85 ? "cut" : fate < 0.9 ? "refuse" : "hang";
  const order: Order = { kind, pieces: 2 + Math.floor(random() * 60), id: serial.toString(36) };
  return { client, upstream, isStream, order, ...(kind === "hang" ? { leavesAfter: random() * 60 } : {}) };
}

/** Makes a call, reads the whole response, and returns its problem. */
export async function makeCall(proxyUrl: string, call: SoakCall, times: Times): Promise<Finding> {
  const startedAt = performance.now();
  const { path, body } = question(call.client, `to-${call.upstream}`, call.isStream);
  const leaving = new AbortController();
  const timer =
    call.leavesAfter === undefined ? undefined : setTimeout(() => leaving.abort(), call.leavesAfter);
  let [status, text, isBroken, firstByte] = [0, "", false, 0];
  try {
    const response = await fetch(`${proxyUrl}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: body.replace('"Hi"', JSON.stringify(promptOf(call.order))),
      signal: leaving.signal,
      dispatcher: connections,
    });
    status = response.status;
    for await (const chunk of response.body ?? []) {
      firstByte ||= performance.now() - startedAt;
      text += Buffer.from(chunk).toString("utf8");
    }
  } catch {
    isBroken = true;
  } finally {
    clearTimeout(timer);
  }
  if (call.order.kind === "good") {
    times.firstByte.push(firstByte);
    times.total.push(performance.now() - startedAt);
  }
  const finding = judge(call, { status, text, isBroken });
  return finding && `${JSON.stringify(call)}: ${finding}: ${status} ${text.slice(0, 300)}`;
}

interface Received {
  readonly status: number;
  readonly text: string;
  readonly isBroken: boolean;
}

function judge(call: SoakCall, { status, text, isBroken }: Received): Finding {
  const { client, upstream, isStream, order } = call;
  if (order.kind === "hang") return isBroken ? undefined : "an answer that never came has ended";
  if (order.kind === "good") {
    if (status !== 200 || isBroken) return "a good answer did not arrive";
    if (textOf(client, text, isStream) !== piecesOf(order).join(""))
      return "pieces were lost, doubled or moved";
    if (isStream && client === upstream && text !== streamOf(client, piecesOf(order)).join(""))
      return "bytes were changed on their way";
    return undefined;
  }
  if (isBroken || status >= 500) return undefined;
  const hasErrorEvent = isStream && /event: error|event: response\.failed|data: \{"error"/.test(text);
  return hasErrorEvent ? undefined : "a failure looks like an end";
}

/** Calls the MCP server, whose response is the last event and repeats the request. */
export async function callMcp(proxyUrl: string, serial: number): Promise<Finding> {
  const response = await fetch(`${proxyUrl}/mcp/vendor/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: serial, method: "echo", params: { serial } }),
    dispatcher: connections,
  });
  const text = await response.text();
  const wanted = `data: {"jsonrpc":"2.0","id":${serial},"result":{"serial":${serial}}}\n\n`;
  return response.status === 200 && text.endsWith(wanted)
    ? undefined
    : `MCP: ${response.status} ${text.slice(0, 300)}`;
}
