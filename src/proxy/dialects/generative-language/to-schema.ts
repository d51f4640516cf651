import { isObject, ownMember } from "../../exchange/json.ts";
import type { LossList } from "../../exchange/loss.ts";
import { withoutNullish } from "../shared/without-nullish.ts";
import { flattenSchema, type JsonSchema } from "./flatten-schema.ts";

/**
 * Converts JSON Schema to the subset that `parameters` and `responseSchema` support
 * (https://ai.google.dev/api/caching#Schema): references are inlined, unions become `anyOf`, the type `null` becomes
 * `nullable`, and types become uppercase. Property names stay unchanged. Adds losses for constraints that are dropped
 * or approximated.
 */
export function toGenerativeSchema(schema: unknown, losses: LossList): unknown {
  return convert(schema, { root: schema, refs: [], depth: 0, budget: { nodes: maxNodes } }, losses);
}

/**
 * The path to the schema being converted: the root schema, the references followed from the root, the depth, and the
 * number of schemas that can still be converted.
 */
export interface SchemaPath {
  readonly root: unknown;
  readonly refs: readonly string[];
  readonly depth: number;
  readonly budget: { nodes: number };
}

const maxDepth = 32;
/** Maximum number of schemas to convert. Each use of a reference is expanded, so a small schema can become large. */
const maxNodes = 5_000;

/** Keywords with the same name and meaning in JSON Schema and in the subset. */
const shared = [
  "title",
  "description",
  "minItems",
  "maxItems",
  "minLength",
  "maxLength",
  "minProperties",
  "maxProperties",
  "pattern",
  "minimum",
  "maximum",
  "default",
] as const;

/** Keywords without an equivalent in the subset. */
const lost = [
  "not",
  "if",
  "patternProperties",
  "propertyNames",
  "dependentRequired",
  "dependentSchemas",
  "dependencies",
  "prefixItems",
  "contains",
  "uniqueItems",
  "multipleOf",
  "unevaluatedProperties",
] as const;

const formats: Readonly<Record<string, readonly string[]>> = {
  STRING: ["enum", "date-time"],
  NUMBER: ["float", "double"],
  INTEGER: ["int32", "int64"],
};

function convert(schema: unknown, path: SchemaPath, losses: LossList): Record<string, unknown> {
  if (schema === false) losses.add("schema-false", "Schema `false` dropped: the dialect has no equivalent.");
  if (!isObject(schema)) return {};
  path.budget.nodes -= 1;
  if (path.depth > maxDepth || path.budget.nodes < 0) {
    losses.add(
      "schema-depth",
      `Part of a schema dropped: it has more than ${maxDepth} levels or ${maxNodes} schemas.`,
    );
    return { type: "OBJECT" };
  }
  const { flat, inside } = flattenSchema(schema, path, losses);
  const { types, nullable } = getTypes(flat);
  const union = toUnion(flat, types);
  const alone = union?.length === 1 ? union[0] : undefined;
  if (alone !== undefined) {
    const { anyOf: _, oneOf: __, type: ___, ...around } = flat;
    const only = convert(alone, inside, losses);
    const outer = convertPlain(around, [], inside, losses);
    return { ...only, ...outer, ...(nullable || only["nullable"] === true ? { nullable: true } : {}) };
  }
  const isByType = union !== undefined && unionMembers(flat) === undefined;
  const { title, description } = flat;
  const around = isByType ? withoutNullish({ title, description }) : flat;
  const converted = convertPlain(around, union === undefined ? types : [], inside, losses);
  if (union !== undefined) converted["anyOf"] = union.map((member) => convert(member, inside, losses));
  return nullable ? { ...converted, nullable: true } : converted;
}

function getTypes(schema: JsonSchema): { types: string[]; nullable: boolean } {
  const converted = [schema["type"] ?? []].flat().map((type) => String(type).toLowerCase());
  const members = unionMembers(schema) ?? [];
  const nullable =
    schema["nullable"] === true ||
    converted.includes("null") ||
    members.some(isNull) ||
    (Array.isArray(schema["enum"]) && schema["enum"].includes(null));
  return { types: converted.filter((type) => type !== "null"), nullable };
}

function unionMembers(schema: JsonSchema): unknown[] | undefined {
  const union = schema["anyOf"] ?? schema["oneOf"];
  return Array.isArray(union) ? union : undefined;
}

function isNull(schema: unknown): boolean {
  if (!isObject(schema)) return false;
  const { type, const: constant, enum: values } = schema;
  return (
    type === "null" ||
    constant === null ||
    (Array.isArray(values) && values.length === 1 && values[0] === null)
  );
}

/**
 * Returns the alternatives of `anyOf`, `oneOf` or a list of types, without null; undefined if the schema has none.
 */
function toUnion(schema: JsonSchema, types: readonly string[]): unknown[] | undefined {
  const members = unionMembers(schema)?.filter((member) => !isNull(member));
  if (members !== undefined && members.length > 0) return members;
  if (types.length < 2) return undefined;
  const { title: _, description: __, default: ___, nullable: ____, ...rest } = schema;
  return types.map((type) => ({ ...rest, type }));
}

function convertPlain(
  schema: JsonSchema,
  types: readonly string[],
  path: SchemaPath,
  losses: LossList,
): Record<string, unknown> {
  const type = (types[0] ?? impliedType(schema))?.toUpperCase();
  const converted: Record<string, unknown> = type === undefined ? {} : { type };
  const isUnion = unionMembers(schema) !== undefined || types.length > 1;
  for (const key of shared) if (schema[key] !== undefined) converted[key] = schema[key];
  for (const key of lost) {
    if (schema[key] !== undefined)
      losses.add(`schema-${key}`, `\`${key}\` of a schema dropped: the dialect has no equivalent.`);
  }
  addBounds(schema, type, converted, losses);
  addFormat(schema, type, converted, losses);
  if (!isUnion) addEnum(schema, converted, losses);
  addMembers(schema, converted, path, losses);
  return converted;
}

function impliedType(schema: JsonSchema): string | undefined {
  if (isObject(schema["properties"])) return "object";
  if (schema["items"] !== undefined) return "array";
  const values = [...(Array.isArray(schema["enum"]) ? schema["enum"] : [])];
  if (schema["const"] !== undefined) values.push(schema["const"]);
  const kinds = new Set(values.filter((value) => value !== null).map((value) => typeof value));
  return kinds.size === 1 ? [...kinds][0] : undefined;
}

function addBounds(
  schema: JsonSchema,
  type: string | undefined,
  converted: Record<string, unknown>,
  losses: LossList,
): void {
  for (const [exclusive, inclusive, step] of [
    ["exclusiveMinimum", "minimum", 1],
    ["exclusiveMaximum", "maximum", -1],
  ] as const) {
    const bound = schema[exclusive];
    if (typeof bound !== "number") continue;
    converted[inclusive] = type === "INTEGER" && Number.isInteger(bound) ? bound + step : bound;
    if (type !== "INTEGER")
      losses.add(
        `schema-${exclusive}`,
        `\`${exclusive}\` of a schema sent as \`${inclusive}\`: the dialect has no equivalent.`,
      );
  }
}

function addFormat(
  schema: JsonSchema,
  type: string | undefined,
  converted: Record<string, unknown>,
  losses: LossList,
): void {
  const format = schema["format"];
  if (typeof format !== "string" || type === undefined) return;
  if (ownMember(formats, type)?.includes(format) === true) converted["format"] = format;
  else losses.add("schema-format", `Format ${format} of a schema dropped: the dialect does not support it.`);
}

/**
 * Adds `enum`. The dialect supports strings only, so a list with values other than strings and null is moved to the
 * description, which the model reads.
 */
function addEnum(schema: JsonSchema, converted: Record<string, unknown>, losses: LossList): void {
  const constant = schema["const"] === undefined ? [] : [schema["const"]];
  const values = (Array.isArray(schema["enum"]) ? schema["enum"] : constant).filter(
    (value) => value !== null,
  );
  if (values.length === 0) return;
  if (values.every((value) => typeof value === "string")) {
    converted["enum"] = values;
    return;
  }
  losses.add(
    "schema-enum",
    "`enum` of a schema moved to the description: the dialect supports strings only.",
  );
  const note = `One of: ${values.map((value) => JSON.stringify(value)).join(", ")}.`;
  converted["description"] =
    typeof converted["description"] === "string" ? `${converted["description"]} ${note}` : note;
}

function addMembers(
  schema: JsonSchema,
  converted: Record<string, unknown>,
  path: SchemaPath,
  losses: LossList,
): void {
  const inside = { ...path, depth: path.depth + 1 };
  const { properties, required, items, additionalProperties } = schema;
  if (isObject(properties) && Object.keys(properties).length > 0) {
    const members = Object.entries(properties).map(([name, member]) => [
      name,
      convert(member, inside, losses),
    ]);
    converted["properties"] = Object.fromEntries(members);
    const present = Array.isArray(required) ? required.filter((name) => Object.hasOwn(properties, name)) : [];
    if (present.length > 0) converted["required"] = present;
  }
  if (isObject(items)) converted["items"] = convert(items, inside, losses);
  else if (converted["type"] === "ARRAY") converted["items"] = {};
  if (isObject(additionalProperties) || additionalProperties === false) {
    losses.add(
      "schema-additionalProperties",
      "`additionalProperties` of a schema dropped: the dialect has no equivalent.",
    );
  }
}
