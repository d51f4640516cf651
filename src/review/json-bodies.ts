import type { FastifyInstance } from "fastify";
import { AppError } from "../errors.ts";
import { describeExcess, findExcess, type JsonBounds } from "../json/bounds.ts";

/**
 * Fifty thousand notes, or the marks of a diff of a hundred thousand files, fit. Nothing that a page sends has ten levels; what
 * has thousands can be parsed, but not written again.
 */
const BOUNDS: JsonBounds = { values: 1_000_000, depth: 256 };

/**
 * Parses JSON bodies as Fastify does, after counting their values and levels on the bytes: a body of a few megabytes can
 * otherwise take minutes and gigabytes.
 */
export function addJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser("error", "error");
  app.removeContentTypeParser("application/json");
  app.addContentTypeParser<Buffer>("application/json", { parseAs: "buffer" }, (request, body, done) => {
    findExcess(body, BOUNDS).then((excess) => {
      if (excess === undefined) {
        parse(request, body.toString("utf8"), done);
        return;
      }
      const message = `The body ${describeExcess(excess, BOUNDS)}`;
      done(new AppError(excess === "depth" ? "validation" : "too_large", message));
    }, done);
  });
}
