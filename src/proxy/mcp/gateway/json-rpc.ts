import { z } from "zod";
import { isObject } from "../../exchange/json.ts";

/** JSON-RPC 2.0 messages as MCP uses them. https://www.jsonrpc.org/specification */

const idSchema = z.union([z.string(), z.number().int()]);
/** An object whose members are not validated, because a message may contain many. */
const paramsSchema = z.custom<Record<string, unknown>>(isObject);
const errorSchema = z.object({ code: z.number(), message: z.string(), data: z.unknown().optional() });
const version = z.literal("2.0");

const requestSchema = z.object({
  jsonrpc: version,
  id: idSchema,
  method: z.string(),
  params: paramsSchema.optional(),
});
const notificationSchema = z.object({
  jsonrpc: version,
  id: z.undefined().optional(),
  method: z.string(),
  params: paramsSchema.optional(),
});
const responseSchema = z.object({
  jsonrpc: version,
  id: idSchema.nullish(),
  method: z.undefined().optional(),
  result: paramsSchema.optional(),
  error: errorSchema.optional(),
});
const messageSchema = z.union([requestSchema, notificationSchema, responseSchema]);

export type RpcId = z.infer<typeof idSchema>;
export type RpcParams = Readonly<Record<string, unknown>>;
export type RpcRequest = z.infer<typeof requestSchema>;
export type RpcNotification = z.infer<typeof notificationSchema>;
export type RpcResponse = z.infer<typeof responseSchema>;
export type RpcMessage = RpcRequest | RpcNotification | RpcResponse;

/** Limits of a message, which are checked before the message is parsed. */
export const MESSAGE_BOUNDS = { values: 130_000, depth: 256 };

/** Error codes of JSON-RPC, and those that MCP defines. */
export const RPC_ERRORS = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  /** Used until revision 2025-11-25; later revisions use `invalidParams`. */
  resourceNotFound: -32002,
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
} as const;

/** An error that is returned as a JSON-RPC error. */
export class RpcFailure extends Error {
  constructor(
    readonly code: number,
    message: string,
    /** The HTTP status of the response. In a session, `methodNotFound` has the status 200 instead. */
    readonly status = 200,
    readonly data?: unknown,
  ) {
    super(message);
    this.name = "RpcFailure";
  }
}

/** Returns a value as a JSON-RPC message; undefined if the value is not a JSON-RPC message. */
export function parseRpc(value: unknown): RpcMessage | undefined {
  return messageSchema.safeParse(value).data;
}

export function isRequest(message: RpcMessage): message is RpcRequest {
  return message.method !== undefined && message.id !== undefined && message.id !== null;
}

export function isNotification(message: RpcMessage): message is RpcNotification {
  return message.method !== undefined && message.id === undefined;
}

export function createRequest(id: RpcId, method: string, params: RpcParams | undefined): RpcRequest {
  return { jsonrpc: "2.0", id, method, ...(params !== undefined && { params: { ...params } }) };
}

export function createNotification(method: string, params?: RpcParams): RpcNotification {
  return { jsonrpc: "2.0", method, ...(params !== undefined && { params: { ...params } }) };
}

export function createResult(id: RpcId, result: RpcParams): RpcResponse {
  return { jsonrpc: "2.0", id, result: { ...result } };
}

export function createError(
  id: RpcId | undefined,
  code: number,
  message: string,
  data?: unknown,
): RpcResponse {
  // JSON-RPC requires null if the id could not be read.
  return { jsonrpc: "2.0", id: id ?? null, error: { code, message, ...(data !== undefined && { data }) } };
}
