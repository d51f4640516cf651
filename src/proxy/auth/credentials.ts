import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { keyHeaders } from "../dialects/index.ts";

/** Headers other than `authorization` in which a client can send the proxy's key. */
const bareKeyHeaders = ["x-gen-api-key", ...keyHeaders.filter((name) => name !== "authorization")];

/** The prefix of a WebSocket protocol that contains the key, for browsers, which cannot set headers of a WebSocket. */
const KEY_PROTOCOL = "openai-insecure-api-key.";

/**
 * Returns the keys in a request: from `Authorization: Bearer`, the other key headers, the WebSocket protocol
 * `openai-insecure-api-key.KEY` and, with `queryToo`, `?key=`.
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
  if (headers["sec-websocket-protocol"] !== undefined)
    for (const protocol of listProtocols(headers)) {
      const key = keyInProtocol(protocol);
      if (key !== undefined) keys.push(key);
    }
  if (queryToo && url.includes("key=")) {
    const key = new URLSearchParams(url.slice(url.indexOf("?") + 1)).get("key");
    if (key) keys.push(key);
  }
  return keys;
}

/** Returns the keys and the cookie values that a client has sent, without texts that are too short to be redacted. */
export function listSecrets({ headers, url = "" }: IncomingMessage): string[] {
  const cookies = (headers.cookie ?? "").split(";").map((pair) => pair.slice(pair.indexOf("=") + 1).trim());
  return [...collectKeys(headers, url, true), ...cookies].filter((text) => text.length >= SHORTEST_SECRET);
}

/** Minimum length of a redacted text, in characters: shorter ones would match parts of ordinary words. */
const SHORTEST_SECRET = 8;

/** Returns the WebSocket protocols that the client offers. */
export function listProtocols(headers: IncomingHttpHeaders): string[] {
  const offered = headers["sec-websocket-protocol"]?.split(",").map((each) => each.trim()) ?? [];
  return offered.filter((each) => each !== "");
}

/** Returns the key that a WebSocket protocol contains; undefined if it contains none. */
export function keyInProtocol(protocol: string): string | undefined {
  return protocol.startsWith(KEY_PROTOCOL) ? protocol.slice(KEY_PROTOCOL.length) || undefined : undefined;
}
