import type { IncomingHttpHeaders } from "node:http";
import { asObject } from "../../exchange/json.ts";
import { RPC_ERRORS, RpcFailure, type RpcRequest } from "./json-rpc.ts";
import {
  type ClientFacts,
  decodeHeader,
  getMeta,
  getParamHeaders,
  listParamHeaders,
  META,
  REVISIONS,
  STATELESS,
} from "./revisions.ts";

/** The member of the params that `Mcp-Name` mirrors, by method. */
export const TARGETS: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
  "tasks/get": "taskId",
  "tasks/update": "taskId",
  "tasks/cancel": "taskId",
};

/**
 * Checks a request of revision 2026-07-28 and returns the facts about its client. Throws `RpcFailure` if the revision
 * is unknown, if a header differs from the body, or if `_meta` is incomplete.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#server-validation
 */
export function checkStateless(request: RpcRequest, headers: IncomingHttpHeaders): ClientFacts {
  const meta = getMeta(request.params);
  const version = meta[META.version];
  const header = headers["mcp-protocol-version"]?.toString();
  if (version === undefined) throw malformed(`_meta lacks ${META.version}`);
  if (header !== version)
    throw mismatch(
      `MCP-Protocol-Version is ${formatValue(header)}, and the body's revision is ${formatValue(version)}`,
    );
  if (version !== STATELESS)
    throw new RpcFailure(RPC_ERRORS.unsupportedVersion, "Unsupported protocol version", 400, {
      supported: REVISIONS,
      requested: version,
    });
  const { method, params = {} } = request;
  const named = headers["mcp-method"]?.toString();
  if (named !== method)
    throw mismatch(`Mcp-Method is ${formatValue(named)}, and the body's method is ${formatValue(method)}`);
  const target = TARGETS[method];
  if (target !== undefined) {
    const text = headers["mcp-name"]?.toString();
    if (text === undefined || decodeHeader(text) !== params[target])
      throw mismatch(
        `Mcp-Name is ${formatValue(text)}, and the body's ${target} is ${formatValue(params[target])}`,
      );
  }
  const capabilities = meta[META.clientCapabilities];
  if (typeof capabilities !== "object" || capabilities === null)
    throw malformed(`_meta lacks ${META.clientCapabilities}`);
  return { version, capabilities: asObject(capabilities), info: asObject(meta[META.clientInfo]) };
}

/**
 * Checks the headers that mirror arguments of a tool call. Throws `RpcFailure` if one differs from its argument, is
 * missing or has no argument.
 */
export function checkParamHeaders(schema: unknown, values: unknown, headers: IncomingHttpHeaders): void {
  const expected = new Map(getParamHeaders(schema, values));
  for (const name of listParamHeaders(schema)) {
    const [given, wanted] = [headers[name]?.toString(), expected.get(name)];
    if (given === undefined && wanted === undefined) continue;
    if (given === undefined || wanted === undefined || decodeHeader(given) !== decodeHeader(wanted))
      throw mismatch(
        `${name} is ${formatValue(given)}, and the argument is ${formatValue(wanted && decodeHeader(wanted))}`,
      );
  }
}

/** Returns whether a request belongs to revision 2026-07-28 or later, in which each request contains its revision. */
export function isStatelessRequest(request: RpcRequest, headers: IncomingHttpHeaders): boolean {
  if (getMeta(request.params)[META.version] !== undefined) return true;
  const header = headers["mcp-protocol-version"]?.toString();
  return header !== undefined && header >= STATELESS && request.method !== "initialize";
}

function mismatch(message: string): RpcFailure {
  return new RpcFailure(RPC_ERRORS.headerMismatch, `Header mismatch: ${message}`, 400);
}

function malformed(message: string): RpcFailure {
  return new RpcFailure(RPC_ERRORS.invalidParams, `Invalid params: ${message}`, 400);
}

function formatValue(value: unknown): string {
  return value === undefined ? "missing" : JSON.stringify(value);
}
