import type { IncomingHttpHeaders } from "node:http";
import { keyHeaders } from "../dialects/index.ts";

/**
 * Headers besides `authorization` in which a client can send the proxy's key. The proxy forwards such a header only to
 * an upstream that expects the client's own credentials.
 */
const bareKeyHeaders = ["x-gen-api-key", ...keyHeaders.filter((name) => name !== "authorization")];

/**
 * Returns every key in a request: from `Authorization: Bearer`, `x-api-key`, `x-gen-api-key`, `x-goog-api-key` and,
 * with `queryToo`, from `?key=`. A request with several keys is accepted if one of them is valid.
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
