import { asObject } from "../../exchange/json.ts";
import type { RpcParams } from "./json-rpc.ts";

/**
 * The protocol's revisions. Up to 2025-11-25, a client opens a session with `initialize`. From 2026-07-28 on, each
 * request contains its revision and the client's capabilities in `_meta`.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning
 */
export const STATELESS = "2026-07-28";
export const LATEST_SESSION = "2025-11-25";
export const SESSION_REVISIONS = [LATEST_SESSION, "2025-06-18", "2025-03-26", "2024-11-05"] as const;
export const REVISIONS = [STATELESS, ...SESSION_REVISIONS] as const;

/** Names of members of `_meta` that revision 2026-07-28 defines. */
export const META = {
  version: "io.modelcontextprotocol/protocolVersion",
  clientInfo: "io.modelcontextprotocol/clientInfo",
  clientCapabilities: "io.modelcontextprotocol/clientCapabilities",
  logLevel: "io.modelcontextprotocol/logLevel",
  serverInfo: "io.modelcontextprotocol/serverInfo",
  subscription: "io.modelcontextprotocol/subscriptionId",
} as const;

const OWN = new Set<string>([META.version, META.clientInfo, META.clientCapabilities, META.logLevel]);

/** Facts that a client reports about itself. */
export interface ClientFacts {
  readonly version: string;
  readonly capabilities: RpcParams;
  readonly info: RpcParams;
}

/** Returns whether a client accepts a first event that has an id but no data. */
export function hasFirstEvent({ version }: ClientFacts): boolean {
  return version >= LATEST_SESSION && version !== STATELESS;
}

/** Returns the `_meta` of a request. */
export function getMeta(params: RpcParams | undefined): RpcParams {
  return asObject(params?.["_meta"]);
}

/** Returns the params with the members of `_meta` that a request without a session requires. */
export function withClientMeta(params: RpcParams | undefined, client: ClientFacts): RpcParams {
  const _meta = {
    ...getMeta(params),
    [META.version]: STATELESS,
    [META.clientInfo]: client.info,
    [META.clientCapabilities]: client.capabilities,
  };
  return { ...params, _meta };
}

/** Returns the params without the members of `_meta` that only requests without a session have. */
export function withoutClientMeta(params: RpcParams | undefined): RpcParams | undefined {
  if (params?.["_meta"] === undefined) return params;
  const { _meta, ...others } = params;
  const kept = Object.entries(asObject(_meta)).filter(([name]) => !OWN.has(name));
  return kept.length === 0 ? others : { ...others, _meta: Object.fromEntries(kept) };
}

const PLAIN = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;
const SENTINEL = /^=\?base64\?(.*)\?=$/;

/** Encodes a value for `Mcp-Name` or `Mcp-Param-…`: plain ASCII, or Base64 between markers. */
export function encodeHeader(value: string): string {
  if (PLAIN.test(value) && !SENTINEL.test(value)) return value;
  return `=?base64?${Buffer.from(value, "utf8").toString("base64")}?=`;
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Decodes the value of `Mcp-Name` or `Mcp-Param-…`; undefined if it is malformed. */
export function decodeHeader(value: string): string | undefined {
  const coded = SENTINEL.exec(value)?.[1];
  if (coded === undefined) return value;
  return BASE64.test(coded) ? Buffer.from(coded, "base64").toString("utf8") : undefined;
}

const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;

/**
 * Returns the `Mcp-Param-…` headers of a tool call: one for each string, boolean or integer argument whose property in
 * the tool's schema has `x-mcp-header`. Only properties and their nested `properties` are searched.
 */
export function getParamHeaders(schema: unknown, values: unknown): [name: string, value: string][] {
  return findMirrored(schema, values).flatMap(({ name, value }) => {
    const isPlain = typeof value === "string" || typeof value === "boolean" || Number.isSafeInteger(value);
    return isPlain ? [[name, encodeHeader(String(value))]] : [];
  });
}

/** Returns the names of all `Mcp-Param-…` headers of a tool. */
export function listParamHeaders(schema: unknown): string[] {
  return findMirrored(schema, undefined).map(({ name }) => name);
}

function findMirrored(
  schema: unknown,
  values: unknown,
): { readonly name: string; readonly value: unknown }[] {
  return Object.entries(asObject(asObject(schema)["properties"])).flatMap(([name, property]) => {
    const value = asObject(values)[name];
    const header = asObject(property)["x-mcp-header"];
    return typeof header === "string" && HEADER_NAME.test(header)
      ? [{ name: `mcp-param-${header.toLowerCase()}`, value }]
      : findMirrored(property, value);
  });
}
