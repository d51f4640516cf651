import { isObject } from "../exchange/json.ts";

type Schema = Readonly<Record<string, unknown>>;

const MAX_DEPTH = 16;

/**
 * Returns a minimal value for a JSON Schema: its constant, default, first enum value or first example; otherwise, a
 * value of its type or of its first alternative. Objects have only required members; without `required`, the first
 * member. Follows references within the schema.
 */
export function createSample(schema: unknown, root: unknown = schema, depth = 0): unknown {
  if (!isObject(schema) || depth > MAX_DEPTH) return {};
  const { $ref: reference, const: fixed, default: preset, enum: listed, examples } = schema;
  if (typeof reference === "string") return createSample(resolve(reference, root), root, depth + 1);
  if (fixed !== undefined) return fixed;
  if (preset !== undefined) return preset;
  if (Array.isArray(listed)) return listed[0];
  if (Array.isArray(examples) && examples.length > 0) return examples[0];
  const whole = withAllOf(schema, root);
  const choice = [whole["anyOf"], whole["oneOf"]].find((each) => Array.isArray(each));
  if (Array.isArray(choice)) return createSample(choice[0], root, depth + 1);
  return sampleOfType(whole, root, depth);
}

function sampleOfType(schema: Schema, root: unknown, depth: number): unknown {
  const { type, properties, items, prefixItems } = schema;
  const named = String(Array.isArray(type) ? type[0] : (type ?? (items ? "array" : "object"))).toLowerCase();
  switch (named) {
    case "string":
      return sampleText(schema);
    case "number":
    case "integer":
      return sampleNumber(schema, named === "integer");
    case "boolean":
      return true;
    case "null":
      return null;
    case "array": {
      if (Array.isArray(prefixItems)) return prefixItems.map((item) => createSample(item, root, depth + 1));
      if (!isObject(items)) return [];
      const length = Math.max(1, toNumber(schema["minItems"]) ?? 1);
      const sample = createSample(items, root, depth + 1);
      return Array.from({ length: Math.min(length, 100) }, () => sample);
    }
    default: {
      const members = isObject(properties) ? properties : {};
      const required = schema["required"];
      const names = Array.isArray(required) ? required.map(String) : Object.keys(members).slice(0, 1);
      return Object.fromEntries(names.map((name) => [name, createSample(members[name], root, depth + 1)]));
    }
  }
}

/** Samples of string formats. https://json-schema.org/understanding-json-schema/reference/type#format */
const FORMATS: Readonly<Record<string, string>> = {
  "date-time": "2026-01-01T00:00:00Z",
  date: "2026-01-01",
  time: "00:00:00Z",
  duration: "P1D",
  email: "example@example.com",
  hostname: "example.com",
  ipv4: "127.0.0.1",
  ipv6: "::1",
  uri: "https://example.com/",
  uuid: "00000000-0000-4000-8000-000000000000",
};

function sampleText({ format, minLength, maxLength }: Schema): string {
  const text = FORMATS[String(format)] ?? "example";
  const least = Math.min(toNumber(minLength) ?? 0, 10_000);
  return text.padEnd(least, "x").slice(0, toNumber(maxLength));
}

function sampleNumber(schema: Schema, isInteger: boolean): number {
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf } = schema;
  const step = toNumber(multipleOf) ?? 1;
  const above = toNumber(exclusiveMinimum);
  const below = toNumber(exclusiveMaximum);
  const least = Math.max(toNumber(minimum) ?? -Infinity, above === undefined ? -Infinity : above + step);
  const most = Math.min(toNumber(maximum) ?? Infinity, below === undefined ? Infinity : below - step);
  const value = Math.min(Math.max(step, least), most);
  if (!Number.isFinite(value)) return 1;
  return isInteger || multipleOf !== undefined ? Math.ceil(value / step) * step : value;
}

function toNumber(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

/** Merges the members of `allOf` into a schema, as far as a sample needs them. */
function withAllOf(schema: Schema, root: unknown): Schema {
  const { allOf, ...rest } = schema;
  if (!Array.isArray(allOf)) return schema;
  let merged: Schema = rest;
  for (const each of allOf) {
    const part = isObject(each) && typeof each["$ref"] === "string" ? resolve(each["$ref"], root) : each;
    if (!isObject(part)) continue;
    merged = {
      ...part,
      ...merged,
      properties: { ...toMembers(part["properties"]), ...toMembers(merged["properties"]) },
      required: [...toList(part["required"]), ...toList(merged["required"])],
    };
  }
  return merged;
}

function toMembers(value: unknown): Schema {
  return isObject(value) ? value : {};
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns the part of a schema that a reference within it names (RFC 6901); undefined for any other reference. */
function resolve(reference: string, root: unknown): unknown {
  if (!reference.startsWith("#")) return undefined;
  let value = root;
  for (const name of reference.slice(1).split("/").filter(Boolean)) {
    const member = decodeURIComponent(name).replaceAll("~1", "/").replaceAll("~0", "~");
    value = isObject(value) ? value[member] : Array.isArray(value) ? value[Number(member)] : undefined;
  }
  return value;
}
