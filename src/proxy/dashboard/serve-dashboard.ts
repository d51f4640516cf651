import { PassThrough } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "../../errors.ts";
import { NO_FILTERS } from "../../render/dashboard/calls.ts";
import { keepAliveComment, serializeLine } from "../../sse/serialize.ts";
import type { Services } from "../services.ts";
import type { DashboardState } from "./api-types.ts";
import { type DashboardPage, filledPage, lockedPage, PLAIN_PAGE } from "./dashboard-page.ts";
import { dashboardState } from "./dashboard-state.ts";

/** Milliseconds between two checks for changes. */
const POLL_MS = 500;
/** Milliseconds without a change after which a keep-alive is sent. */
const KEEP_ALIVE_MS = 15_000;

/**
 * Serves `GET /`: the dashboard with its current figures. A request from a page of another origin, even an allowed one,
 * receives no figures.
 */
export async function serveDashboard(
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
): Promise<unknown> {
  const built = await builtPage(services);
  if (isForeign(request)) return send(reply, lockedPage(built));
  const view = {
    filters: NO_FILTERS,
    base: getBaseUrl(request),
    isInteractive: false,
    connection: "still",
  } as const;
  return send(reply, filledPage(built, await stateFor(request, services, ""), view));
}

/** Responds to `GET /` with a page that asks for the key, because a browser cannot send a key when it opens a page. */
export async function serveLocked(reply: FastifyReply, services: Services): Promise<unknown> {
  return send(reply.code(401), lockedPage(await builtPage(services)));
}

function builtPage(services: Services): Promise<string> {
  return services.dashboardPage().catch(() => PLAIN_PAGE);
}

function send(reply: FastifyReply, { html, policy }: DashboardPage): unknown {
  return reply
    .header("content-type", "text/html; charset=utf-8")
    .header("content-security-policy", policy)
    .send(html);
}

/**
 * Serves `GET /internal/dashboard/events`: sends the state at once, and again when it has changed. Later events contain
 * only the calls that have ended since the previous event. Ends the stream when another configuration is applied,
 * because that configuration can require another key, and when the key is no longer valid.
 */
export async function streamDashboard(
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
): Promise<unknown> {
  if (isForeign(request))
    throw new AppError(
      "forbidden",
      "The request comes from a page of another origin. Only the dashboard can read its event stream",
    );
  const stream = new PassThrough();
  const follower = follow(request, services, (text) => stream.write(text));
  await follower.look();
  const timer = setInterval(() => {
    const isCurrent = services.runtime() === request.runtime;
    if (!isCurrent || !request.runtime.stillAdmits(request, "dashboard-events")) stream.end();
    // If the client has not read the previous events yet, this check is skipped. After an error, the page reconnects.
    else if (!stream.writableNeedDrain) follower.look().catch(() => stream.end());
  }, POLL_MS);
  stream.once("close", () => clearInterval(timer));
  reply.header("content-type", "text/event-stream; charset=utf-8").header("x-accel-buffering", "no");
  return reply.send(stream);
}

/**
 * Returns an object whose `look` checks the state: it writes an event if the state has changed since the last one, and
 * a keep-alive if nothing was written for `KEEP_ALIVE_MS`.
 */
function follow(request: FastifyRequest, services: Services, write: (text: string) => void) {
  let last = "";
  let since = "";
  let sentIds = new Set<string>();
  let writtenAt = 0;
  let isLooking = false;
  const look = async (): Promise<void> => {
    const askedAt = new Date().toISOString();
    const state = await stateFor(request, services, since);
    const calls = state.calls.filter(({ id }) => !sentIds.has(id));
    const { now, ...rest } = { ...state, calls };
    const text = JSON.stringify({ ...rest, now: 0 });
    if (calls.length === 0 && text === last) {
      if (now - writtenAt >= KEEP_ALIVE_MS) write(keepAliveComment);
      else return;
    } else write(serializeLine(JSON.stringify({ ...rest, now })));
    writtenAt = now;
    last = JSON.stringify({ ...rest, calls: [], now: 0 });
    // `since` is not the time of the newest call: after a worker has reported its calls, it can end another call with
    // an earlier time than the newest call of another worker.
    since = askedAt;
    sentIds = new Set(state.calls.filter(({ time }) => time >= since).map(({ id }) => id));
  };
  return {
    look: async () => {
      if (isLooking) return;
      isLooking = true;
      await look().finally(() => {
        isLooking = false;
      });
    },
  };
}

async function stateFor(request: FastifyRequest, services: Services, since: string): Promise<DashboardState> {
  const [activity, { series }] = await Promise.all([services.activity(since), services.totals()]);
  return dashboardState(activity, series, request.runtime, {
    now: Date.now(),
    startedAt: services.startedAt,
    isDraining: services.isDraining(),
    configuration: services.configuration(),
  });
}

/**
 * Returns whether a page of another origin sent the request. The configuration can allow such a page to call models,
 * but never to see the calls of others.
 */
function isForeign(request: FastifyRequest): boolean {
  const { origin } = request.headers;
  const { publicUrl } = request.runtime.config;
  if (origin === undefined || origin === `${getScheme(request)}://${getHost(request)}`) return false;
  return publicUrl === undefined || new URL(publicUrl).origin !== origin;
}

/** Returns the URL at which clients reach the proxy: the configured one, else the one that the request was sent to. */
function getBaseUrl(request: FastifyRequest): string {
  const { headers, raw } = request;
  const { config, forwarding } = request.runtime;
  if (config.publicUrl !== undefined) return config.publicUrl;
  const prefix = forwarding.prefix(raw.socket.remoteAddress, headers);
  return `${getScheme(request)}://${getHost(request)}${prefix}`;
}

function getScheme({ headers, raw, runtime }: FastifyRequest): string {
  return runtime.forwarding.scheme(raw.socket.remoteAddress, headers);
}

function getHost({ headers, raw, runtime }: FastifyRequest): string {
  return runtime.forwarding.host(raw.socket.remoteAddress, headers) ?? headers.host ?? "localhost";
}
