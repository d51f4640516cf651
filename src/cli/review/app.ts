import { hostname } from "node:os";
import type { FastifyInstance } from "fastify";
import { urlHost } from "../../config/loopback.ts";
import { type Codespace, forwardedHost } from "../../config/review/environment.ts";
import { AppError } from "../../errors.ts";
import { pageSource } from "../../http/page-source.ts";
import type { ReviewContext } from "../../review/context.ts";
import { createReviewServer } from "../../review/server.ts";
import type { Output } from "../output.ts";
import { pagesFolder } from "../pages-folder.ts";
import { isBeyondLoopback } from "./listen.ts";
import type { ReviewOptions } from "./options.ts";

/** Creates the server of a review. Serves the built pages, and reports errors on stderr. */
export function createReviewApp(
  context: ReviewContext,
  output: Output,
  { host, allowedUids, environment }: Pick<ReviewOptions, "host" | "allowedUids" | "environment">,
  port: number,
): FastifyInstance {
  return createReviewServer({
    context,
    page: { source: pageSource(pagesFolder), name: context.mode.kind === "plan" ? "plan" : "code" },
    exposure: withForwarded(resolveExposure(host), environment.codespace, port),
    onFailure: onceEach((error) => output.note(`sallyport: ${formatReport(error)}`), formatReport),
    allowedUids,
    onForeignUser: onceEach(
      (uid) => output.note(`Rejected a request from another user of this machine, uid ${uid}.`),
      String,
    ),
    onRefused: onceEach(
      (path) =>
        output.note(
          `Rejected a request for ${path}: it came from another web page or names another host. Open the URL that was printed.`,
        ),
      () => "any",
    ),
  });
}

function resolveExposure(host: string | undefined) {
  const own = host === undefined ? [] : [urlHost(host)];
  return isBeyondLoopback(host)
    ? { hostnames: [...own, hostname().toLowerCase()], anyAddress: true }
    : { hostnames: own, anyAddress: false };
}

/**
 * Allows the host under which a Codespace forwards the port, and the origins that the Codespace's proxy
 * sends: the proxy rewrites Host and Origin to localhost, in some versions with https.
 */
function withForwarded(
  exposure: ReturnType<typeof resolveExposure>,
  codespace: Codespace | undefined,
  port: number,
) {
  if (!codespace) return { ...exposure, origins: [] };
  const host = forwardedHost(codespace, port);
  const origins = [`https://${host}`, `https://localhost:${port}`, `http://localhost:${port}`];
  return { ...exposure, hostnames: [...exposure.hostnames, host], origins };
}

function formatReport(error: unknown): string {
  return error instanceof AppError ? error.message : String(error);
}

/** Reports each kind of value once, so that a page that retries often does not fill the terminal. */
function onceEach<Value>(report: (value: Value) => void, getKind: (value: Value) => string) {
  const reported = new Set<string>();
  return (value: Value) => {
    const kind = getKind(value);
    if (!reported.has(kind)) report(value);
    reported.add(kind);
  };
}
