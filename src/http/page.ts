import type { FastifyInstance } from "fastify";
import type { PageName, PageSource } from "./page-source.ts";
import { pagePolicy } from "./security-headers.ts";

/** A page, and where it and what it loads come from. */
export interface PageFiles {
  readonly source: PageSource;
  readonly name: PageName;
  /** Puts something into the HTML of each request; where it fails, the page goes out as it was built. */
  readonly fill?: (html: string) => Promise<string>;
}

/**
 * Serves the page for every path and method that no route takes, status 200, whatever the request carries. A file
 * missing below /assets is 404, so that a page of an older build fails where it can be seen.
 */
export function addPage(app: FastifyInstance, { source, name, fill }: PageFiles): void {
  const built = source.html(name).catch(() => NOT_BUILT);
  const html = async () => {
    const page = await built;
    return fill ? fill(page).catch(() => page) : page;
  };
  // Before the body is looked at: nothing in it could make this another answer.
  app.addHook("onRequest", async (request, reply) => {
    if (!request.is404) return;
    return reply
      .type("text/html; charset=utf-8")
      .header("content-security-policy", pagePolicy)
      .send(await html());
  });
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ error: "File not found" }));
  source.addAssets(app);
}

const NOT_BUILT = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Sallyport</title>
<p>The pages are not built. Run <code>npm run build</code>, then start the review again.</p></html>
`;
