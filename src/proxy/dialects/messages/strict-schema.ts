import { isObject } from "../../exchange/json.ts";
import type { LossList } from "../../exchange/loss.ts";

type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * Converts a JSON schema for structured output or a strict tool to the subset that the vendor supports, because the
 * vendor rejects a call with any other schema. Objects get `additionalProperties: false`, `oneOf` becomes `anyOf`, and
 * keywords that the vendor does not support move to the description, as in the vendor's SDKs
 * (https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations).
 */
export function toStrictSchema(schema: unknown, list: LossList): unknown {
  if (!isObject(schema)) return schema;
  const converted: Record<string, unknown> = {};
  const bounds: string[] = [];
  for (const [key, value] of Object.entries(schema)) {
    if (key === "$schema" || key === "additionalProperties") continue;
    if (schemas.has(key)) converted[key] = convertEach(value, list);
    else if (key === "oneOf") converted["anyOf"] = convertEach(value, list);
    else if (key === "items") converted[key] = toStrictSchema(value, list);
    else if (isTaken(key, value)) converted[key] = value;
    else {
      bounds.push(`${key}: ${JSON.stringify(value)}`);
      list.add(
        `schema-${key}`,
        `\`${key}\` of a schema moved to the description: the vendor does not enforce it.`,
      );
    }
  }
  if (isObjectSchema(schema)) converted["additionalProperties"] = closed(schema, list);
  if (bounds.length === 0) return converted;
  const texts = [schema["description"], `{${bounds.join(", ")}}`].filter((text) => typeof text === "string");
  return { ...converted, description: texts.join("\n\n") };
}

/** Keywords whose value is a list of schemas or an object of schemas by name. */
const schemas = new Set(["properties", "$defs", "definitions", "anyOf", "allOf"]);

const taken = new Set(["type", "title", "description", "default", "enum", "const", "$ref", "required"]);
const formats = [
  "date-time",
  "time",
  "date",
  "duration",
  "email",
  "hostname",
  "uri",
  "ipv4",
  "ipv6",
  "uuid",
] as const;

function isTaken(key: string, value: unknown): boolean {
  if (key === "format") return formats.some((format) => format === value);
  return key === "minItems" ? value === 0 || value === 1 : taken.has(key);
}

function convertEach(value: unknown, list: LossList): unknown {
  if (Array.isArray(value)) return value.map((schema) => toStrictSchema(schema, list));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, schema]) => [name, toStrictSchema(schema, list)]),
  );
}

function isObjectSchema(schema: JsonSchema): boolean {
  return [schema["type"]].flat().includes("object") || isObject(schema["properties"]);
}

function closed({ additionalProperties }: JsonSchema, list: LossList): false {
  if (isObject(additionalProperties))
    list.add(
      "schema-additionalProperties",
      "`additionalProperties` of a schema sent as false: the vendor supports no other value.",
    );
  return false;
}
