import { isObject } from "../../exchange/json.ts";
import type { LossList } from "../../exchange/loss.ts";
import type { SchemaPath } from "./to-schema.ts";

export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * Merges the target of `$ref` and the members of `allOf` into a schema. Returns the merged schema as `flat`, and the
 * path for the conversion of its members as `inside`.
 */
export function flattenSchema(
  schema: JsonSchema,
  path: SchemaPath,
  losses: LossList,
): { flat: JsonSchema; inside: SchemaPath } {
  path.budget.nodes -= 1;
  const { $ref: reference, allOf, ...own } = schema;
  let flat: JsonSchema = own;
  let inside = path;
  if (typeof reference === "string") {
    const target = resolve(reference, path, losses);
    if (target !== undefined) {
      inside = { ...path, refs: [...path.refs, reference], depth: path.depth + 1 };
      const resolved = flattenSchema(target, inside, losses);
      flat = merge(resolved.flat, flat);
      inside = resolved.inside;
    }
  }
  for (const member of Array.isArray(allOf) ? allOf : []) {
    if (!isObject(member) || path.budget.nodes < 0) continue;
    const resolved = flattenSchema(member, { ...inside, depth: inside.depth + 1 }, losses);
    flat = merge(resolved.flat, flat);
    inside = { ...inside, refs: [...inside.refs, ...resolved.inside.refs] };
  }
  return { flat, inside };
}

/**
 * Returns the schema that a reference points to. If the reference is recursive or exceeds a limit, adds a loss and
 * returns `{type: "object"}`. If the root schema does not contain the target, adds a loss and returns undefined.
 */
function resolve(reference: string, path: SchemaPath, losses: LossList): JsonSchema | undefined {
  if (path.refs.includes(reference) || path.depth > 32 || path.budget.nodes < 0) {
    losses.add(
      "schema-cycle",
      `Reference ${reference} dropped: it is recursive, or the schema is too large.`,
    );
    return { type: "object" };
  }
  const target = pointTo(reference, path.root);
  if (isObject(target)) return target;
  losses.add("schema-ref", `Reference ${reference} dropped: the schema does not contain its target.`);
  return undefined;
}

/** Resolves a JSON pointer in a URI fragment (RFC 6901). */
function pointTo(reference: string, root: unknown): unknown {
  if (reference === "#") return root;
  if (!reference.startsWith("#/")) return undefined;
  let target: unknown = root;
  for (const key of reference.slice(2).split("/")) {
    const name = decode(key).replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(target)) target = target[Number(name)];
    else target = isObject(target) && Object.hasOwn(target, name) ? target[name] : undefined;
  }
  return target;
}

function decode(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

/**
 * Combines two schemas: joins `properties` and `required`, and intersects `enum`. For any other keyword, the value in
 * `over` takes precedence.
 */
function merge(under: JsonSchema, over: JsonSchema): JsonSchema {
  const merged: Record<string, unknown> = { ...under, ...over };
  if (isObject(under["properties"]) && isObject(over["properties"])) {
    merged["properties"] = mergeProperties(under["properties"], over["properties"]);
  }
  if (Array.isArray(under["required"]) && Array.isArray(over["required"])) {
    merged["required"] = [...new Set([...under["required"], ...over["required"]])];
  }
  if (Array.isArray(under["enum"]) && Array.isArray(over["enum"])) {
    const allowed = new Set(over["enum"]);
    merged["enum"] = under["enum"].filter((value) => allowed.has(value));
  }
  return merged;
}

function mergeProperties(under: JsonSchema, over: JsonSchema): JsonSchema {
  const merged: Record<string, unknown> = { ...under };
  for (const [name, schema] of Object.entries(over)) {
    const before = merged[name];
    merged[name] = isObject(before) && isObject(schema) ? { allOf: [before, schema] } : schema;
  }
  return merged;
}
