import type { IncomingHttpHeaders } from "node:http";
import { keyHeaders } from "../dialects/index.ts";

/**
 * Headers besides `authorization` that can carry the proxy's key. They are not forwarded, except to upstreams that
 * expect the client's own credentials.
 */
const bareKeyHeaders = ["x-gen-api-key", ...keyHeaders.filter((name) => name !== "authorization")];

/**
 * Returns every key in a request: `Authorization: Bearer`, `x-api-key`, `x-gen-api-key`, `x-goog-api-key` and, with
 * `queryToo`, `?key=`. One valid key is enough.
 */
export function collectKeys(headers: IncomingHttpHeaders, url: string, queryToo: boolean): string[] {
  const keys: string[] = [];
  const authorization = headers.authorization;
  if (authorization !== undefined) {
    const bearer = /^bearer /i.test(authorization) ? authorization.slice(7).trim() : "";
    if (bearer !== "" && !bearer.includes(" ")) keys.push(bearer);
  }
  for (const name of bareKeyHeaders) {
    const value = headers[name];
    if (typeof value === "string" && value !== "") keys.push(value);
  }
  if (queryToo && url.includes("key=")) {
    const key = new URLSearchParams(url.slice(url.indexOf("?") + 1)).get("key");
    if (key) keys.push(key);
  }
  return keys;
}
