import type { FastifyInstance } from "fastify";
import { AppError } from "../errors.ts";
import { createApp } from "../http/create-app.ts";
import { addErrorHandler } from "../http/error-handler.ts";
import type { GuardPolicy } from "../http/guard.ts";
import { addGuard } from "../http/guard-plugin.ts";
import { addPage, type PageFiles } from "../http/page.ts";
import { addSecurityHeaders } from "../http/security-headers.ts";
import type { ReviewContext } from "./review-mode.ts";
import { agentsRoute } from "./routes/agents.ts";
import { draftRoutes } from "./routes/draft.ts";
import { eventsRoute } from "./routes/events.ts";
import { historyRoute } from "./routes/history.ts";
import { imageRoute } from "./routes/image.ts";
import { settingsRoutes } from "./routes/settings.ts";
import { uploadRoute } from "./routes/upload.ts";

/** A decision with long feedback and many annotations fits; nobody types more. */
const BODY_LIMIT = 32 * 1024 * 1024;

/** Levels. Nothing a page sends has ten; what has thousands can be parsed, but not written again. */
const DEEPEST_BODY = 256;

export interface ReviewServerParts {
  readonly context: ReviewContext;
  readonly page: Omit<PageFiles, "fill">;
  /** Whether the server is bound beyond loopback, and under which names it may be called there. */
  readonly exposure: Pick<GuardPolicy, "hostnames" | "anyAddress">;
  /** Told of failures that are not the caller's, for stderr. */
  readonly onFailure: (error: unknown) => void;
  /** Told of refused requests, with the path. */
  readonly onRefused?: (path: string) => void;
}

/**
 * A review server that nobody listens to yet: the routes both modes share, the mode's own, and the page for every
 * other path. It ends with `context.session.outcome`; whoever listens closes it.
 */
export function createReviewServer(parts: ReviewServerParts): FastifyInstance {
  const { context } = parts;
  const app = createApp({ bodyLimit: BODY_LIMIT, acceptAnyPath: true });
  addSecurityHeaders(app);
  addGuard(app, guardPolicy(parts), (_reason, path) => parts.onRefused?.(path));
  addErrorHandler(app, parts.onFailure);
  app.addHook("preValidation", async ({ body }) => {
    if (nestsBeyond(DEEPEST_BODY, body)) throw new AppError("validation", "The body nests too deeply");
  });
  const { fillPage } = context.mode;
  addPage(app, { ...parts.page, ...(fillPage && { fill: (html) => fillPage(html, context) }) });

  context.mode.registerRoutes(app, context);
  agentsRoute(app, context);
  draftRoutes(app, context);
  eventsRoute(app, context);
  historyRoute(app, context);
  imageRoute(app, context);
  settingsRoutes(app, context);
  uploadRoute(app, context);
  return app;
}

/** Looks no deeper than that, whatever there is. */
function nestsBeyond(levels: number, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => nestsBeyond(levels - 1, member));
}

function guardPolicy({ exposure }: ReviewServerParts): GuardPolicy {
  return { ...exposure, origins: [], mayBeLinked: (path) => !/^\/api(\/|$)/i.test(path) };
}
