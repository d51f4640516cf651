import { isObject } from "../../exchange/json.ts";
import { camelKeys } from "./camel-keys.ts";

/**
 * Converts a `Schema` of this dialect to JSON Schema. Types become lowercase, and `nullable` becomes the type `null`.
 * Counts such as `minItems` become numbers, because protobuf's JSON mapping writes 64-bit integers as strings. Unknown
 * members stay unchanged, so a value that is already JSON Schema stays valid.
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
