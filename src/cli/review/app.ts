import { hostname } from "node:os";
import type { FastifyInstance } from "fastify";
import { urlHost } from "../../config/loopback.ts";
import { AppError } from "../../errors.ts";
import { pageSource } from "../../http/page-source.ts";
import type { ReviewContext, ReviewMode } from "../../review/context.ts";
import { createReviewServer } from "../../review/server.ts";
import type { Output } from "../output.ts";
import { pagesFolder } from "../pages-folder.ts";
import { isBeyondLoopback } from "./listen.ts";
import type { ReviewCommandSettings } from "./settings.ts";

/** The server of a review, with the pages beside the command and everything it has to say on stderr. */
export function createReviewApp(
  mode: ReviewMode,
  context: ReviewContext,
  output: Output,
  { host, allowedUids }: Pick<ReviewCommandSettings, "host" | "allowedUids">,
): FastifyInstance {
  return createReviewServer({
    context,
    page: { source: pageSource(pagesFolder), name: mode.kind },
    exposure: exposureOf(host),
    onFailure: onceEach((error) => output.note(`sallyport: ${reportOf(error)}`), reportOf),
    ...(allowedUids ? { allowedUids } : {}),
    onForeignUser: onceEach(
      (uid) => output.note(`Refused a request of another user of this machine, uid ${uid}.`),
      String,
    ),
    onRefused: onceEach(
      (path) => output.note(`Refused a request for ${path}: it came from another page.`),
      () => "any",
    ),
  });
}

function exposureOf(host: string | undefined) {
  const own = host === undefined ? [] : [urlHost(host)];
  return isBeyondLoopback(host)
    ? { hostnames: [...own, hostname().toLowerCase()], anyAddress: true }
    : { hostnames: own, anyAddress: false };
}

function reportOf(error: unknown): string {
  return error instanceof AppError ? error.message : String(error);
}

/** A page that tries often shall not fill the terminal: what is alike is told once. */
function onceEach<Value>(tell: (value: Value) => void, likeness: (value: Value) => string) {
  const told = new Set<string>();
  return (value: Value) => {
    const alike = likeness(value);
    if (!told.has(alike)) tell(value);
    told.add(alike);
  };
}
