import type { IncomingHttpHeaders } from "node:http";
import { keyHeaders } from "../dialects/index.ts";

/**
 * Headers beside `authorization` that can carry the proxy's key. They never reach an upstream unless it asks for the
 * client's own.
 */
const bareKeyHeaders = ["x-gen-api-key", ...keyHeaders.filter((name) => name !== "authorization")];

/**
 * Every key a request shows: `Authorization: Bearer`, `x-api-key`, `x-gen-api-key`, its real-world twin
 * `x-goog-api-key`, and `?key=` where the route's dialect has it. One right key among them is enough.
 */
export function shownKeys(headers: IncomingHttpHeaders, url: string, queryToo: boolean): string[] {
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
