import { readFile } from "node:fs/promises";
import { join } from "node:path";
import fastifyStatic from "@fastify/static";
import type { FastifyInstance } from "fastify";
import { pagePolicy } from "./security-headers.ts";

/** A built page and what it loads. */
export interface PageFiles {
  /** The folder of the built pages: `<name>/index.html`, and `assets/` for all of them. */
  readonly folder: string;
  readonly name: "plan" | "code" | "dashboard";
}

/**
 * Serves the page for every path and method that no route takes, status 200, whatever the request carries. Files
 * below /assets have their content's hash in their name and never change; one that is missing there is 404, so that
 * a page of an older build fails where it can be seen.
 */
export function addPage(app: FastifyInstance, files: PageFiles): void {
  const html = readFile(join(files.folder, files.name, "index.html"), "utf8").catch(() => NOT_BUILT);
  // Before the body is looked at: nothing in it could make this another answer.
  app.addHook("onRequest", async (request, reply) => {
    if (!request.is404) return;
    return reply
      .type("text/html; charset=utf-8")
      .header("content-security-policy", pagePolicy)
      .send(await html);
  });
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ error: "File not found" }));
  app.register(fastifyStatic, {
    root: join(files.folder, "assets"),
    prefix: "/assets/",
    wildcard: true,
    index: false,
    immutable: true,
    maxAge: "365d",
    cacheControl: true,
    decorateReply: false,
  });
}

const NOT_BUILT = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Sallyport</title>
<p>The pages are not built. Run <code>npm run build</code>, then start the review again.</p></html>
`;
