import { z } from "zod";
import type { AdminRoute } from "./admin-route.ts";
import { errorSchema } from "./admin-schemas.ts";

/** Returns the OpenAPI 3.1 document of an API, generated from the schemas of its routes. */
export function openApiDocument(
  {
    path,
    title,
    routes,
  }: { readonly path: string; readonly title: string; readonly routes: readonly AdminRoute[] },
  version: string,
): unknown {
  return {
    openapi: "3.1.0",
    info: { title, version },
    servers: [{ url: path }],
    security: [{ key: [] }],
    paths: describePaths(routes),
    components: { securitySchemes: { key: { type: "http", scheme: "bearer" } } },
  };
}

function describePaths(routes: readonly AdminRoute[]): Record<string, Record<string, unknown>> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const item = paths[route.path] ?? {};
    item[route.method.toLowerCase()] = describeOperation(route);
    paths[route.path] = item;
  }
  return paths;
}

/** Returns the operation's name in generated clients, such as `postKeysIdRotate`. */
function getOperationId({ method, path }: AdminRoute): string {
  const segments = path.match(/\w+/g) ?? [];
  return method.toLowerCase() + segments.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}

function describeOperation(route: AdminRoute): unknown {
  const { path, summary, query, body, status, response } = route;
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  const inQuery = Object.entries(query?.shape ?? {}).map(([name, schema]) => ({
    name,
    in: "query",
    required: false,
    schema: jsonSchema(schema as z.ZodType, "input"),
  }));
  return {
    operationId: getOperationId(route),
    summary,
    parameters: [...inPath, ...inQuery],
    ...(body && { requestBody: describeBody(body) }),
    responses: {
      [status]: { description: "Success", content: jsonContent(jsonSchema(response, "output")) },
      default: { description: "Error", content: jsonContent(jsonSchema(errorSchema, "output")) },
    },
  };
}

/** Describes a body, which may be missing if its schema accepts `{}`: the routes read an empty body as `{}`. */
function describeBody(schema: z.ZodType): unknown {
  const required = !schema.safeParse({}).success;
  return { required, content: jsonContent(jsonSchema(schema, "input")) };
}

const jsonContent = (schema: unknown) => ({ "application/json": { schema } });

function jsonSchema(schema: z.ZodType, io: "input" | "output"): unknown {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    reused: "inline",
  });
  return rest;
}
