import type { FastifyInstance } from "fastify";

/** The default headers of responses: they forbid content sniffing, framing, use by other origins, and referrers. */
const EVERYWHERE = {
  "x-content-type-options": "nosniff",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-frame-options": "DENY",
} as const;

/**
 * The pages' content security policy: only files of this server, including workers and frames, and `blob:` and `data:`
 * URLs that a page creates. The syntax highlighter needs `wasm-unsafe-eval`, and measured positions need inline styles.
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
 * The policy of a page that an editor shows in a frame. Browsers ignore `x-frame-options` if the policy has
 * `frame-ancestors`. The pages of desktop editors have schemes that `*` does not include.
 */
export const framedPagePolicy = pagePolicy.replace(
  "frame-ancestors 'none'",
  "frame-ancestors * vscode-webview: vscode-file:",
);

/**
 * Headers for HTML among the assets, which the pages frame or save: always sandboxed, so that it never has this
 * server's origin, and framed only by this server's pages.
 */
export const framedHeaders = {
  "content-security-policy": "sandbox allow-scripts; frame-ancestors 'self'",
  "x-frame-options": "SAMEORIGIN",
  // The file's name has no hash, so a page of the next build must not receive this build's cached file.
  "cache-control": "no-cache",
} as const;

/**
 * Adds each header to every response that does not set it, and `cache-control: no-store` unless the route sets
 * `cache-control`.
 */
export function addSecurityHeaders(app: FastifyInstance): void {
  app.addHook("onSend", async (_request, reply) => {
    for (const [name, value] of Object.entries(EVERYWHERE)) {
      if (!reply.hasHeader(name)) reply.header(name, value);
    }
    if (!reply.hasHeader("cache-control")) reply.header("cache-control", "no-store");
  });
}
