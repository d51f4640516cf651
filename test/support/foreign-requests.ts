import type { FastifyInstance } from "fastify";

/** Headers that a browser sends for pages of other origins. Pages cannot set any of these. */
export const FOREIGN_PAGES: readonly Record<string, string>[] = [
  { host: "localhost:4000", origin: "http://evil.test", "sec-fetch-site": "cross-site" },
  { host: "localhost:4000", origin: "https://evil.test" },
  { host: "localhost:4000", origin: "null", "sec-fetch-site": "cross-site" },
  { host: "localhost:4000", origin: "http://localhost:3000", "sec-fetch-site": "same-site" },
  { host: "localhost:4000", origin: "http://127.0.0.1:4000" },
  { host: "localhost:4000", origin: "https://localhost:4000" },
  { host: "localhost:4000", origin: "http://localhost:40000" },
  { host: "localhost:4000", "sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors" },
  { host: "localhost:4000", "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" },
  {
    host: "localhost:4000",
    "sec-fetch-site": "cross-site",
    "sec-fetch-mode": "navigate",
    "sec-fetch-dest": "iframe",
  },
];

/** Host names that resolve to this machine by DNS rebinding, and other names that are not this server's. */
export const FOREIGN_HOSTS: readonly string[] = [
  "evil.test",
  "evil.test:4000",
  "localhost.evil.test",
  "localhost.",
  "evil@localhost",
  "0.0.0.0:4000",
  "[::]:4000",
  "127.1:4000",
  "127.0.0.2",
  "2130706433",
  "0x7f000001",
  "[::ffff:127.0.0.1]",
  "192.168.0.10:4000",
];

/** Requests of a foreign page to a review server, in both modes. */
export const REVIEW_ROUTES: readonly (readonly [method: "GET" | "POST" | "PUT", path: string])[] = [
  ["POST", "/api/approve"],
  ["POST", "/api/deny"],
  ["POST", "/api/feedback"],
  ["POST", "/api/upload"],
  ["POST", "/api/diff/switch"],
  ["PUT", "/api/draft"],
  ["PUT", "/api/settings"],
  ["GET", "/api/plan"],
  ["GET", "/api/diff"],
  ["GET", "/api/draft"],
  ["GET", "/api/events"],
  ["GET", "/api/image?path=a.png"],
  ["GET", "/api/history"],
  ["POST", "/any/other/path"],
];

/** A form needs no preflight; neither do these bodies. */
const SIMPLE_BODIES = ["application/x-www-form-urlencoded", "multipart/form-data; boundary=b", "text/plain"];

/**
 * Sends every route with every set of headers and every body that a form can send; resolves to the requests that were
 * not rejected.
 */
export async function letIn(
  app: FastifyInstance,
  headerSets: readonly Readonly<Record<string, string>>[],
  routes: readonly (readonly [string, string])[],
): Promise<string[]> {
  const wrong: string[] = [];
  for (const [method, url] of routes) {
    for (const headers of headerSets) {
      for (const type of method === "GET" ? [undefined] : [undefined, ...SIMPLE_BODIES, "application/json"]) {
        const body = type === undefined ? {} : { payload: type === "application/json" ? "{}" : "a=b" };
        const response = await app.inject({
          method: method as "GET",
          url,
          headers: { ...headers, ...(type === undefined ? {} : { "content-type": type }) },
          ...body,
        });
        const shared = Object.keys(response.headers).some((name) => name.startsWith("access-control"));
        if (response.statusCode !== 403 || shared)
          wrong.push(`${method} ${url} ${type ?? ""} ${JSON.stringify(headers)}: ${response.statusCode}`);
      }
    }
  }
  return wrong;
}
