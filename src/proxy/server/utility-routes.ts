import type { FastifyReply, FastifyRequest } from "fastify";
import type { z } from "zod";
import type { ProxyKey } from "../../config/proxy/config.ts";
import { AppError } from "../../errors.ts";
import { readJsonBody } from "../body/read-json-body.ts";
import { redisState } from "../gateway/limits.ts";
import { matchesGlob } from "../glob.ts";
import {
  allModels,
  callersDialect,
  describeList,
  describeModel,
  findModel,
} from "../models/describe-models.ts";
import { metricsText } from "../observability/metrics-text.ts";
import { stateText } from "../observability/state-text.ts";
import type { Route } from "../routes.ts";
import type { Services } from "../services.ts";
import { detectBody, detectModel } from "./detect-model.ts";
import { warmUp, warmupBody } from "./warmup.ts";

/** Serves the utility operations, except `mcp` and `pass-through`. */
export async function handleUtility(
  request: FastifyRequest,
  reply: FastifyReply,
  route: Route,
  services: Services,
): Promise<unknown> {
  switch (route.operation) {
    case "health":
      return reply.send({ status: "ok" });
    case "telemetry":
      // The body is discarded without being read.
      return reply.send({});
    case "otlp":
      return request.runtime.config.otel.relay === undefined
        ? respondToTelemetry(request, reply)
        : (await import("./relay-telemetry.ts")).relayTelemetry(request, reply, services);
    case "hello":
      return reply.code(200).send();
    case "managed-settings":
      return (await import("./claude-code-routes.ts")).serveManagedSettings(request, reply);
    case "key-usage":
      return reply.send(await (await import("./claude-code-routes.ts")).usageOfKey(request, services));
    case "readiness":
      return reply.send(await readiness(request, services));
    case "metrics":
      return reply.header("content-type", "text/plain; version=0.0.4").send(await metrics(services));
    case "list-models":
      return listModels(request, reply, route);
    case "get-model":
      return getModel(request, reply, route);
    case "detect":
      return reply.send(
        await detectModel(request.runtime, (await bodyAs(request, services, detectBody)).model),
      );
    case "warmup":
      return reply.send(await warmUp(request.runtime, services, await bodyAs(request, services, warmupBody)));
    // `upgrades.ts` serves the upgrade requests of these routes; this request is not one of them.
    case "realtime":
      reply.header("allow", "GET").header("upgrade", "websocket");
      throw new AppError("method_not_allowed", "Method not allowed; open a WebSocket");
    case "websocket":
      reply.header("allow", "POST");
      throw new AppError("method_not_allowed", "Method not allowed; use POST or a WebSocket");
    case "home":
      return (await dashboardParts()).serveDashboard(request, reply, services);
    case "dashboard-events":
      return (await dashboardParts()).streamDashboard(request, reply, services);
    case "admin":
      return (await import("../gateway/admin.ts")).serveAdmin(request, reply, services);
    case "own":
      return (await import("../gateway/admin.ts")).serveOwn(request, reply, services);
    case "bedrock-client":
    case "vertex-client": {
      const { serveCloudClient } = await import("./cloud-clients/serve-cloud-client.ts");
      return serveCloudClient(request, reply, services, route.operation);
    }
    default:
      throw new AppError("not_found", "Unknown path");
  }
}

/** Responds to an OTLP message with an empty message: `{}` in JSON, no bytes in protobuf. */
export function respondToTelemetry({ headers }: FastifyRequest, reply: FastifyReply): FastifyReply {
  const type = headers["content-type"] ?? "";
  if (!/^application\/(?:x-)?protobuf\b/i.test(type)) return reply.send({});
  return reply.header("content-type", type).send(Buffer.alloc(0));
}

async function metrics(services: Services): Promise<string> {
  const [counts, { cooldowns }] = await Promise.all([
    services.totals(),
    // Passing the current time excludes ended calls, which the metrics do not need.
    services.activity(new Date().toISOString()),
  ]);
  return metricsText(counts) + stateText(cooldowns, services.startedAt);
}

/**
 * Returns whether the proxy is ready and which services are down. The number of running calls and the errors are
 * included only if the client has a key or authentication is off. Throws `overloaded` if the proxy is stopping.
 */
async function readiness({ key, runtime }: FastifyRequest, services: Services): Promise<object> {
  if (services.isStopping()) throw new AppError("overloaded", "The proxy is stopping");
  const database = await services.gateway.state();
  const redis = redisState(services.limits);
  const isShown = key !== undefined || runtime.authMode === "off";
  const down = {
    ...(database.status === "down" && {
      database: "down",
      ...(isShown && { database_error: database.reason }),
    }),
    ...(redis.status === "down" && { redis: "down", ...(isShown && { redis_error: redis.reason }) }),
  };
  if (!isShown) return { status: "ready", ...down };
  const { active } = await services.totals();
  return { status: "ready", active, ...down };
}

/** Loads the dashboard on first use. */
function dashboardParts() {
  return import("../dashboard/serve-dashboard.ts");
}

/** Returns whether a key may call a model, by the name that the client sends. */
function isAllowedModel(key: ProxyKey | undefined, id: string): boolean {
  return key?.models?.some((pattern) => matchesGlob(pattern, id)) ?? true;
}

async function listModels(request: FastifyRequest, reply: FastifyReply, route: Route): Promise<unknown> {
  const dialect = callersDialect(route.dialect, request.headers);
  const models = (await allModels(request.runtime)).filter(({ id }) => isAllowedModel(request.key, id));
  return reply.send(describeList(dialect, models, Object(request.query)));
}

async function getModel(request: FastifyRequest, reply: FastifyReply, route: Route): Promise<unknown> {
  const dialect = callersDialect(route.dialect, request.headers);
  const params = request.params as Record<string, string>;
  const id = (params["model"] ?? params["*"] ?? "").replace(/^models\//, "");
  const model = isAllowedModel(request.key, id) ? await findModel(request.runtime, id) : undefined;
  if (!model) throw new AppError("model_not_found", `There is no model ${JSON.stringify(id.slice(0, 200))}`);
  return reply.send(describeModel(dialect, model));
}

function bodyAs<Schema extends z.ZodType>(
  request: FastifyRequest,
  { memory }: Services,
  schema: Schema,
): Promise<z.infer<Schema>> {
  return readJsonBody(request.raw, schema, { memory, limits: request.runtime.config.limits });
}
