import { isObject } from "../../exchange/json.ts";
import { camelKeys } from "./camel-keys.ts";

/**
 * Converts a `Schema` of this dialect to JSON Schema: types in lower case, `nullable` as a type, counts sent as
 * strings (64-bit integers in protobuf's JSON) as numbers. Unknown members stay unchanged, so that JSON Schema itself
 * passes through.
 */
export function fromGenerativeSchema(schema: unknown): unknown {
  const camel = camelKeys(schema);
  if (!isObject(camel)) return camel;
  const { type, nullable, properties, items, anyOf, format, example, propertyOrdering: _, ...rest } = camel;
  const types = [type ?? []].flat().map((name) => String(name).toLowerCase());
  const known = types.filter((name) => name !== "type_unspecified");
  if (nullable === true && known.length > 0 && !known.includes("null")) known.push("null");
  const union = Array.isArray(anyOf) ? anyOf.map(fromGenerativeSchema) : undefined;
  if (union !== undefined && nullable === true && known.length === 0) union.push({ type: "null" });
  const values = rest["enum"];
  return {
    ...(known.length === 0 ? {} : { type: known.length === 1 ? known[0] : known }),
    ...withNumbers(rest),
    ...(nullable === true && Array.isArray(values) && !values.includes(null)
      ? { enum: [...values, null] }
      : {}),
    ...(format === undefined || format === "enum" ? {} : { format }),
    ...(example === undefined ? {} : { examples: [example] }),
    ...(union === undefined ? {} : { anyOf: union }),
    ...(isObject(properties) ? { properties: convertAll(properties) } : {}),
    ...(items === undefined ? {} : { items: fromGenerativeSchema(items) }),
  };
}

function convertAll(properties: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, fromGenerativeSchema(schema)]),
  );
}

const counts = ["minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"];

function withNumbers(schema: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key,
      counts.includes(key) && typeof value === "string" ? Number(value) : value,
    ]),
  );
}
