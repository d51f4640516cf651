import type { FastifyInstance } from "fastify";
import { AppError } from "../errors.ts";
import { describeExcess, findExcess, type JsonBounds } from "../json/bounds.ts";

/**
 * Limits of JSON bodies. Fifty thousand annotations, or the viewed marks of a hundred thousand files, are below them.
 * A page sends fewer than ten levels; thousands of levels can be parsed, but not serialized again.
 */
const BOUNDS: JsonBounds = { values: 1_000_000, depth: 256 };

/**
 * Adds a parser of JSON bodies that equals Fastify's, but first counts values and levels in the bytes: a body of a
 * few megabytes could otherwise take minutes and gigabytes of memory.
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
