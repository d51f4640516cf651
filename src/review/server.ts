import type { FastifyInstance } from "fastify";
import { AppError } from "../errors.ts";
import { addGuard, addPeerCheck } from "../http/access-checks.ts";
import { addErrorHandler, addRequestOrder, createApp } from "../http/app.ts";
import type { GuardPolicy } from "../http/guard.ts";
import { addPage, isEmbedUrl, type PageFiles, withPageToken } from "../http/page.ts";
import { addSecurityHeaders } from "../http/security-headers.ts";
import { describeExcess, findExcess, type JsonBounds } from "../json/bounds.ts";
import { askRoutes } from "./ask/ask-routes.ts";
import type { ReviewContext } from "./context.ts";
import { rejectAgents } from "./live/caller-kind.ts";
import { liveRoutes } from "./live/live-routes.ts";
import { threadRoutes } from "./live/thread-routes.ts";
import { agentsRoute } from "./routes/agents.ts";
import { draftRoutes } from "./routes/draft.ts";
import { eventsRoute } from "./routes/events.ts";
import { historyRoute } from "./routes/history.ts";
import { imageRoute } from "./routes/image.ts";
import { settingsRoutes } from "./routes/settings.ts";
import { uploadRoute } from "./routes/upload.ts";

/** Maximum bytes of a request body: enough for a decision with long feedback and many annotations. */
const BODY_LIMIT = 32 * 1024 * 1024;

export interface ReviewServerParts {
  readonly context: ReviewContext;
  readonly page: Omit<PageFiles, "fill">;
  /** Uids that may use the server in addition to the current user and root. */
  readonly allowedUids?: readonly number[] | undefined;
  /** Called for each rejected request of another user of this machine. */
  readonly onForeignUser?: (uid: number) => void;
  /**
   * Whether the server listens on other addresses than loopback, and the host names and origins that it accepts there.
   */
  readonly exposure: Pick<GuardPolicy, "hostnames" | "anyAddress" | "origins">;
  /** Called with errors that the client did not cause, for stderr. */
  readonly onFailure: (error: unknown) => void;
  /** Called with the path of each request that the guard rejects. */
  readonly onRefused?: (path: string) => void;
}

/**
 * Creates a review server that does not listen yet: the routes that all modes share, the routes of this mode, and the
 * page for other paths. The review ends with `context.session.outcome`; the caller must close the server.
 */
export function createReviewServer(parts: ReviewServerParts): FastifyInstance {
  const { context } = parts;
  const app = createApp({ bodyLimit: BODY_LIMIT, acceptAnyPath: true });
  addSecurityHeaders(app);
  addPeerCheck(app, parts.allowedUids ?? [], parts.onForeignUser);
  addGuard(app, guardPolicy(parts), (_reason, path) => parts.onRefused?.(path));
  addRequestOrder(app);
  rejectAgents(app, context.threads.token);
  addErrorHandler(app, parts.onFailure);
  addJsonBodies(app);
  addPage(app, { ...parts.page, fill: (html) => filledPage(html, context), mayBeFramed: mayFrame(context) });

  context.mode.registerRoutes(app, context);
  agentsRoute(app, context);
  askRoutes(app, context);
  draftRoutes(app, context);
  eventsRoute(app, context);
  historyRoute(app, context);
  imageRoute(app, context);
  threadRoutes(app, context);
  liveRoutes(app, context);
  settingsRoutes(app, context);
  uploadRoute(app, context);
  return app;
}

/** Returns the built page with the page token and, if it can be rendered, the prerendered content. */
async function filledPage(html: string, context: ReviewContext): Promise<string> {
  const filled = await context.mode.prerender?.(html, context).catch(() => html);
  return withPageToken(filled ?? html, context.pageToken);
}

function mayFrame({ pageToken }: ReviewContext): (url: string) => boolean {
  return (url) => isEmbedUrl(url, pageToken);
}

function guardPolicy({ exposure, context }: ReviewServerParts): GuardPolicy {
  return {
    ...exposure,
    mayBeLinked: (path) => !/^\/api(\/|$)/i.test(path),
    mayBeFramed: mayFrame(context),
  };
}

/**
 * Limits of JSON bodies: enough for ten thousand annotations and the viewed marks of a hundred thousand files.
 * Thousands of levels could be parsed but not serialized again.
 */
const BOUNDS: JsonBounds = { values: 250_000, depth: 256 };

/**
 * Adds a parser of JSON bodies that works like Fastify's, but first counts values and levels in the bytes: a body with
 * very many values could otherwise take minutes and gigabytes of memory.
 */
function addJsonBodies(app: FastifyInstance): void {
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
