import type { FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "../../errors.ts";
import { toAllowHeader } from "../../http/allow-header.ts";
import { getPath } from "../../http/request-path.ts";
import { parseInput, readJsonBody } from "../body/read-json-body.ts";
import type { Services } from "../services.ts";
import { openApiDocument } from "./admin-openapi.ts";
import type { AdminContext, AdminResponse, AdminRoute } from "./admin-route.ts";
import { adminRoutes } from "./admin-routes.ts";
import { ownRoutes } from "./own-routes.ts";

const ADMIN_PATH = "/api/admin/v1";

/** The path of the API for a key's own calls and limits. */
const OWN_PATH = "/api/me/v1";

/** An API: its path, its routes, and its name in its OpenAPI document. */
interface Api {
  readonly path: string;
  readonly title: string;
  readonly routes: readonly AdminRoute[];
}

const ADMIN_API: Api = { path: ADMIN_PATH, title: "Sallyport admin API", routes: adminRoutes };
const OWN_API: Api = { path: OWN_PATH, title: "Sallyport API of a key's own calls", routes: ownRoutes };

/** Serves the admin API. Admission has checked that the caller has an admin key. */
export function serveAdmin(request: FastifyRequest, reply: FastifyReply, services: Services) {
  return serveApi(ADMIN_API, request, reply, services);
}

/** Serves a key's own calls and limits. Admission has checked that the caller has a key. */
export function serveOwn(request: FastifyRequest, reply: FastifyReply, services: Services) {
  return serveApi(OWN_API, request, reply, services);
}

async function serveApi(
  api: Api,
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
): Promise<unknown> {
  const path = getPath(request.url).slice(api.path.length) || "/";
  if (path === "/openapi.json" && request.method === "GET")
    return reply.send(openApiDocument(api, services.version));
  const response = await respond(api, request, reply, path, services);
  reply.code(response.status).header("cache-control", "no-store");
  if (response.type !== undefined) return reply.header("content-type", response.type).send(response.body);
  return response.body === undefined ? reply.send() : reply.send(response.body);
}

async function respond(
  { routes }: Api,
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
  services: Services,
): Promise<AdminResponse> {
  const matches = routes.flatMap((route) => {
    const params = matchPath(route.path, path);
    return params === undefined ? [] : [{ route, params }];
  });
  const method = request.method === "HEAD" ? "GET" : request.method;
  const match = matches.find(({ route }) => route.method === method);
  if (match === undefined) {
    if (matches.length === 0) throw new AppError("not_found", `This API has no path ${path}`);
    const allowed = matches.map(({ route }) => route.method);
    reply.header("allow", toAllowHeader(allowed));
    throw new AppError("method_not_allowed", `Method not allowed; use ${allowed.join(", ")}`);
  }
  const { route, params } = match;
  const query = route.query ? parseInput(route.query, Object(request.query), "the query") : {};
  const { limits } = request.runtime.config;
  const body =
    route.body && (await readJsonBody(request.raw, route.body, { memory: services.memory, limits }));
  return route.serve(createContext(request, services), { params, query, body } as never);
}

/** Returns the parameters of a path for a pattern such as `/keys/{id}`; undefined if the path does not match. */
function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const wanted = pattern.split("/");
  const parts = path.split("/");
  if (wanted.length !== parts.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const given = parts[index] ?? "";
    if (!part.startsWith("{")) {
      if (part !== given) return undefined;
    } else {
      const value = decoded(given);
      // PostgreSQL text cannot contain NUL, so no key, team or call matches.
      if (value === undefined || value === "" || value.includes("\0")) return undefined;
      params[part.slice(1, -1)] = value;
    }
  }
  return params;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function createContext(request: FastifyRequest, services: Services): AdminContext {
  const { raw, headers, runtime, key } = request;
  const address = runtime.forwarding.client(raw.socket.remoteAddress, headers);
  return { services, runtime, key, actor: { name: key?.name ?? "", address } };
}
