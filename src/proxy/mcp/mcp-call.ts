import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { isObject, tryParseJson } from "../exchange/json.ts";

/** The method and target of an MCP call, for the log. */
export interface McpCall {
  /** The JSON-RPC method, such as `tools/call`. */
  readonly mcpMethod?: string;
  /** The name of the tool or prompt, or the URI of the resource. */
  readonly mcpTool?: string;
}

/** A body that is streamed to an MCP server. */
export interface WatchedMcpBody {
  readonly stream: Readable;
  /**
   * Returns the method and the target that the body requests; an empty object for a compressed body. Call it after the
   * body has been sent.
   */
  called(): McpCall;
}

/** Bytes after which no more chunks are inspected. The method and the tool's name are usually at the beginning. */
const MAX_WATCHED = 64 * 1024;
const MAX_NAME = 200;

/** Returns the body of a request as a stream whose beginning is recorded; undefined if there is no body. */
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

/** Returns the method and the target of a JSON-RPC message; of a batch, those of its first message. */
function callIn(text: string): McpCall {
  const message = tryParseJson(text);
  const first: unknown = Array.isArray(message) ? message[0] : message;
  return isObject(first) ? callOf(first) : parseBeginning(text);
}

/** Returns the method and the target of a parsed message. */
export function callOf({
  method,
  params,
}: {
  readonly method?: unknown;
  readonly params?: unknown;
}): McpCall {
  const { name, uri } = isObject(params) ? params : {};
  return named(method, name ?? uri);
}

/** Searches a body that is cut off, and so not JSON, for its method and the name of a called tool. */
function parseBeginning(text: string): McpCall {
  const method = /"method"\s*:\s*"([^"\\]+)"/.exec(text)?.[1];
  return named(method, method === "tools/call" ? /"name"\s*:\s*"([^"\\]+)"/.exec(text)?.[1] : undefined);
}

function named(method: unknown, tool: unknown): McpCall {
  return {
    mcpMethod: typeof method === "string" ? method.slice(0, MAX_NAME) : undefined,
    mcpTool: typeof tool === "string" ? tool.slice(0, MAX_NAME) : undefined,
  };
}
