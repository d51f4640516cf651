import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { isObject } from "../exchange/json.ts";

/** What a client asks of an MCP server, for the log. */
export interface McpCall {
  /** The JSON-RPC method, such as `tools/call`. */
  readonly mcpMethod?: string;
  /** The tool, prompt or resource that is asked for. */
  readonly mcpTool?: string;
}

/** A body on its way to an MCP server. */
export interface WatchedMcpBody {
  readonly stream: Readable;
  /** What it asks for, once it has passed by. */
  called(): McpCall;
}

/** Bytes of a body that are looked at; the method and the name of a tool mostly stand in front. */
const MAX_WATCHED = 64 * 1024;
const MAX_NAME = 200;

/** Watches the body of a request go by, byte for byte; undefined where it has none. */
export function watchMcpBody(request: IncomingMessage): WatchedMcpBody | undefined {
  const { headers } = request;
  const length = headers["content-length"];
  const hasBody = (length !== undefined && length !== "0") || headers["transfer-encoding"] !== undefined;
  if (!hasBody) return undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  const watch = (chunk: Buffer) => {
    if (size < MAX_WATCHED) chunks.push(chunk);
    size += chunk.length;
  };
  return {
    stream: Readable.from(watched(request, watch), { objectMode: false }),
    called: () => (headers["content-encoding"] === undefined ? callIn(Buffer.concat(chunks).toString()) : {}),
  };
}

async function* watched(request: IncomingMessage, watch: (chunk: Buffer) => void): AsyncGenerator<Buffer> {
  for await (const chunk of request) {
    watch(chunk);
    yield chunk;
  }
}

/** Returns what a JSON-RPC message asks for; of a batch, its first one. */
export function callIn(text: string): McpCall {
  const message = parsed(text);
  const first: unknown = Array.isArray(message) ? message[0] : message;
  if (!isObject(first)) return beginningOf(text);
  const params = isObject(first["params"]) ? first["params"] : {};
  return named(first["method"], params["name"] ?? params["uri"]);
}

/** Of a body that is too long to be looked at whole. */
function beginningOf(text: string): McpCall {
  const method = /"method"\s*:\s*"([^"\\]+)"/.exec(text)?.[1];
  return named(method, method === "tools/call" ? /"name"\s*:\s*"([^"\\]+)"/.exec(text)?.[1] : undefined);
}

function named(method: unknown, tool: unknown): McpCall {
  return {
    ...(typeof method === "string" && { mcpMethod: method.slice(0, MAX_NAME) }),
    ...(typeof tool === "string" && { mcpTool: tool.slice(0, MAX_NAME) }),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
