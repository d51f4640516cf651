import { isObject } from "../../exchange/json.ts";

/**
 * A schema whose objects say `additionalProperties: false` where they say nothing: the vendor demands it of every object
 * of an answer's schema.
 */
export function closeObjects(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closeObjects);
  if (!isObject(schema)) return schema;
  const closed: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema)) {
    closed[key] =
      maps.has(key) && isObject(value) ? mapValues(value) : nested.has(key) ? closeObjects(value) : value;
  }
  const isObjectSchema = schema["type"] === "object" || isObject(schema["properties"]);
  if (isObjectSchema && !("additionalProperties" in schema)) closed["additionalProperties"] = false;
  return closed;
}

/** Keywords whose value is a schema or a list of them, and those whose members are schemas. */
const nested = new Set(["items", "prefixItems", "anyOf", "oneOf", "allOf", "not"]);
const maps = new Set(["properties", "$defs", "definitions"]);

function mapValues(schemas: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, closeObjects(schema)]));
}
