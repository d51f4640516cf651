import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { FastifyRequest } from "fastify";

/** The header in which a page sends its token. */
const HEADER = "x-sallyport-page";

/** Returns a new token for this server's pages. */
export function createPageToken(): string {
  return randomBytes(24).toString("base64url");
}

/** Inserts the token into the head of a page, where web/shared/api/page-token.ts reads it. */
export function withPageToken(html: string, token: string): string {
  return html.replace(
    /<meta charset="utf-8"\s*\/?>/i,
    (tag) => `${tag}<meta name="${HEADER}" content="${token}">`,
  );
}

/** Returns whether a request has the token of this server's pages. */
export function isFromPage(request: Pick<FastifyRequest, "headers">, token: string): boolean {
  const sent = request.headers[HEADER];
  return typeof sent === "string" && timingSafeEqual(digest(sent), digest(token));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
