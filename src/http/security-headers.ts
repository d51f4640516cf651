import type { FastifyInstance } from "fastify";

/** Sent with every answer: nothing is sniffed, framed, shared with other origins, or kept. */
const EVERYWHERE = {
  "x-content-type-options": "nosniff",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-frame-options": "DENY",
} as const;

/**
 * The pages' policy: files of their own only. `wasm-unsafe-eval` is for the syntax highlighter; inline styles are
 * for what is placed by measure. Workers and frames come from this server.
 */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' blob: data:",
  "connect-src 'self'",
  "font-src 'self' data:",
  "worker-src 'self' blob:",
  "frame-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

/**
 * For HTML among the assets, which the pages frame or save: a sandbox wherever it is opened, so that it never has this
 * server's origin, and only within this server's own pages.
 */
export const framedHeaders = {
  "content-security-policy": "sandbox allow-scripts; frame-ancestors 'self'",
  "x-frame-options": "SAMEORIGIN",
  // Its name has no hash; a page of the next build must not get this one's.
  "cache-control": "no-cache",
} as const;

/** Puts them on every answer, and that it is not to be kept, where the route has not said otherwise. */
export function addSecurityHeaders(app: FastifyInstance): void {
  app.addHook("onSend", async (_request, reply) => {
    for (const [name, value] of Object.entries(EVERYWHERE)) {
      if (!reply.hasHeader(name)) reply.header(name, value);
    }
    if (!reply.hasHeader("cache-control")) reply.header("cache-control", "no-store");
  });
}
