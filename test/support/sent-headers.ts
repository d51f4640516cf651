import { createKeyRing } from "../../src/proxy/auth/key-ring.ts";
import { upstreamHeaders } from "../../src/proxy/upstream/request-headers.ts";
import { configOf } from "./start-proxy.ts";

/** Returns the headers that an upstream of the messages dialect would receive for these client headers. */
export function sentHeaders(rawHeaders: readonly string[], settings: object = {}): Record<string, string> {
  const upstream = configOf({
    upstreams: { a: { dialect: "messages", base_url: "http://x", api_key: "sk-own-key", ...settings } },
  }).upstreams.get("a");
  if (!upstream) throw new Error("no upstream");
  const [key] = upstream.keys;
  const needs = {
    key,
    via: "v",
    acceptEncoding: undefined,
    contentLength: 2,
    contentCoding: undefined,
    keys: createKeyRing([]),
  };
  const list = upstreamHeaders(rawHeaders, upstream, needs);
  return Object.fromEntries(
    list.flatMap((name, index) => (index % 2 === 0 ? [[name, list[index + 1] ?? ""]] : [])),
  );
}
