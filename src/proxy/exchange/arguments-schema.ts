import { isObject, ownMember } from "./json.ts";
import type { LossList } from "./loss.ts";

type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * Returns a tool's argument schema in the form that vendors accept: an object schema without `$ref`, `anyOf`, `oneOf`
 * or `allOf` at its root. The properties of alternatives at the root are merged into one object, and the lost choice
 * between them is reported in `list`. Returns an empty object schema for a value that is not an object.
 */
export function argumentsSchema(schema: unknown, list: LossList): JsonSchema {
  if (!isObject(schema)) return { type: "object", properties: {} };
  if (!combiners.some((key) => key in schema)) {
    if (schema["type"] === "object") return schema;
    return { ...schema, type: "object", properties: Object.assign({}, schema["properties"]) };
  }
  const { anyOf, oneOf, allOf, ...top } = resolve(schema, schema);
  const alternatives = [anyOf, oneOf].filter(Array.isArray).map((members) => readAll(members, schema));
  if (alternatives.length > 0)
    list.add(
      "schema-anyOf",
      "`anyOf` or `oneOf` at the root of a tool's schema dropped: vendors do not support it.",
    );
  const all = Array.isArray(allOf) ? readAll(allOf, schema) : [];
  const required = new Set([
    ...namesIn(top["required"]),
    ...all.flatMap((member) => namesIn(member["required"])),
  ]);
  for (const members of alternatives) for (const name of intersectRequired(members)) required.add(name);
  const parts = [top, ...all, ...alternatives.flat()];
  return {
    ...top,
    type: "object",
    properties: Object.assign({}, ...parts.toReversed().map((part) => part["properties"])),
    ...(required.size === 0 ? {} : { required: [...required] }),
  };
}

const combiners = ["$ref", "anyOf", "oneOf", "allOf"];

function readAll(members: readonly unknown[], root: JsonSchema): readonly JsonSchema[] {
  return members.filter(isObject).map((member) => resolve(member, root));
}

/**
 * Replaces a `$ref` to `$defs` or `definitions` with the members of the definition; the schema's own members take
 * precedence. Removes any other `$ref`, also one in the definition.
 */
function resolve(schema: JsonSchema, root: JsonSchema): JsonSchema {
  const { $ref: reference, ...own } = schema;
  const [, keyword, name] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(String(reference)) ?? [];
  const definitions = keyword === undefined ? undefined : root[keyword];
  const target = isObject(definitions) ? ownMember(definitions, name ?? "") : undefined;
  if (!isObject(target)) return own;
  const { $ref: _, ...definition } = target;
  return { ...definition, ...own };
}

function namesIn(required: unknown): readonly string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
}

/** Returns the names of the properties that every alternative requires. */
function intersectRequired(members: readonly JsonSchema[]): readonly string[] {
  const [first, ...others] = members.map((member) => new Set(namesIn(member["required"])));
  return [...(first ?? [])].filter((name) => others.every((names) => names.has(name)));
}
