import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { AppError } from "../../errors.ts";

/** The two kinds of caller: a page of this server, or a local program with the token of the running file. */
export type CallerKind = "page" | "agent";

/**
 * Returns the kind of caller that sent a request. The guard has already rejected foreign origins. Throws
 * `unauthorized` for a wrong token, and for a request with neither token nor origin.
 */
export function callerKind({ headers }: Pick<FastifyRequest, "headers">, token: string): CallerKind {
  if (headers.authorization !== undefined) {
    if (hasToken(headers.authorization, token)) return "agent";
    throw new AppError(
      "unauthorized",
      "The token does not belong to this review. Read the token from the review's running file.",
    );
  }
  if (headers.origin !== undefined) return "page";
  throw new AppError(
    "unauthorized",
    "The request has no token. Send the token of the review's running file: Authorization: Bearer TOKEN",
  );
}

/** Throws `unauthorized` or `forbidden` unless the caller is an agent. */
export function expectAgent(request: FastifyRequest, token: string): void {
  if (callerKind(request, token) === "agent") return;
  throw new AppError("forbidden", "This route is for agents: send the token of the review's running file.");
}

/** Throws `unauthorized` or `forbidden` unless the caller is a page. */
export function expectPage(request: FastifyRequest, token: string): void {
  if (callerKind(request, token) === "page") return;
  throw new AppError("forbidden", "Only the person can do this, on the review's page.");
}

/** The routes that an agent may never call. */
const PERSONS_ROUTES = new Set([
  "POST /api/approve",
  "POST /api/deny",
  "POST /api/feedback",
  "POST /api/send",
  "POST /api/finish",
  "POST /api/ask",
  "PUT /api/draft",
  "PUT /api/settings",
  "POST /api/pr/preview",
  "POST /api/pr/post",
]);

/** Rejects requests to `PERSONS_ROUTES` that have the token of the running file, before their bodies are read. */
export function rejectAgents(app: FastifyInstance, token: string): void {
  app.addHook("onRequest", async ({ headers, method, routeOptions }) => {
    if (headers.authorization === undefined || !PERSONS_ROUTES.has(`${method} ${routeOptions.url}`)) return;
    if (hasToken(headers.authorization, token))
      throw new AppError("forbidden", "Only the person can do this, on the review's page.");
  });
}

function hasToken(authorization: string, token: string): boolean {
  const [, sent] = /^Bearer (\S+)$/i.exec(authorization) ?? [];
  return sent !== undefined && timingSafeEqual(digest(sent), digest(token));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
