import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { PageName, PageSource } from "./page-source.ts";
import { framedPagePolicy, pagePolicy } from "./security-headers.ts";

/** A page, and the source of its files. */
export interface PageFiles {
  readonly source: PageSource;
  readonly name: PageName;
  /** Transforms the HTML of each request; if it fails, the page is sent as built. */
  readonly fill?: (html: string) => Promise<string>;
  /** Returns whether a page outside of this server may show the page in a frame. */
  readonly mayBeFramed?: (url: string) => boolean;
}

/**
 * Serves the page with status 200 for every path and method that no route matches. A missing file below /assets is
 * 404, so that a page of an older build fails visibly.
 */
export function addPage(app: FastifyInstance, { source, name, fill, mayBeFramed }: PageFiles): void {
  const built = source.html(name).catch(() => NOT_BUILT);
  const html = async () => {
    const page = await built;
    return fill ? fill(page).catch(() => page) : page;
  };
  // Runs before the body is parsed, because the body does not affect the response.
  app.addHook("onRequest", async (request, reply) => {
    if (!request.is404) return;
    return reply
      .type("text/html; charset=utf-8")
      .header("content-security-policy", mayBeFramed?.(request.url) ? framedPagePolicy : pagePolicy)
      .send(await html());
  });
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ error: "File not found" }));
  source.addAssets(app);
}

const NOT_BUILT = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Sallyport</title>
<p>The pages are not built. Run <code>npm run build</code>, then run the command again.</p></html>
`;

const TOKEN_HEADER = "x-sallyport-page";

/** Returns a new token for this server's pages. */
export function createPageToken(): string {
  return randomBytes(24).toString("base64url");
}

/** Inserts the token into the head of a page, where web/shared/api/page-token.ts reads it. */
export function withPageToken(html: string, token: string): string {
  return html.replace(
    /<meta charset="utf-8"\s*\/?>/i,
    (tag) => `${tag}<meta name="${TOKEN_HEADER}" content="${token}">`,
  );
}

/** Returns whether a request has the token of this server's pages. */
export function isFromPage(request: Pick<FastifyRequest, "headers">, token: string): boolean {
  const sent = request.headers[TOKEN_HEADER];
  return typeof sent === "string" && timingSafeEqual(digest(sent), digest(token));
}

/**
 * Returns whether a URL has the token of this server's pages in its parameter `embed`. Only local programs can read
 * the token, so an editor on this machine may frame the page, and a web page may not.
 */
export function isEmbedUrl(url: string, token: string): boolean {
  const sent = new URLSearchParams(url.slice(url.indexOf("?") + 1)).get("embed");
  return sent !== null && timingSafeEqual(digest(sent), digest(token));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
