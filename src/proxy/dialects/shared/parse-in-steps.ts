import type { z } from "zod";
import { FIRST_ISSUE } from "../../../json/first-issue.ts";
import { isObject } from "../../exchange/json.ts";
import { countValues, isPauseDue, type Steps, VALUES_PER_STEP } from "../../exchange/steps.ts";

/** The first problem of a value: its path and a description. */
export interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** The result of a validation: like zod's, with the first issue only. */
export type Parsed<Value> =
  | { readonly success: true; readonly data: Value }
  | { readonly success: false; readonly issue: Issue };

/** The members of zod's schema definitions that are read here (https://zod.dev/packages/core). */
interface Definition {
  readonly type: string;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly element?: z.ZodType;
  readonly innerType?: z.ZodType;
  readonly options?: readonly z.ZodType[];
}

/**
 * A list that is validated separately from the value that contains it. Its path consists of member names: a list inside
 * a list is validated with the element that contains it.
 */
interface LongList {
  readonly path: readonly string[];
  readonly element: z.ZodType;
  readonly items: readonly unknown[];
}

/** Validates a value without a pause. */
export function parseAtOnce<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): Parsed<z.output<Schema>> {
  const parsed = schema.safeParse(value, FIRST_ISSUE);
  if (parsed.success) return parsed;
  const [issue] = parsed.error.issues;
  return { success: false, issue: issue ?? { path: [], message: "it cannot be read" } };
}

/** Validates a value. Validates the elements of long lists one by one, with pauses between them. */
export function* parseInSteps<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): Steps<Parsed<z.output<Schema>>> {
  if (!isLong(value)) return parseAtOnce(schema, value);
  const lists: LongList[] = [];
  const parsed = parseAtOnce(schema, takeLongLists(schema, value, [], lists));
  if (!parsed.success) return parsed;
  let { data } = parsed;
  for (const { path, element, items } of lists) {
    const list = yield* parseList(element, items);
    if (!list.success) return { success: false, issue: within(path, list.issue) };
    data = withMember(data, path, list.data) as z.output<Schema>;
  }
  return { success: true, data };
}

function* parseList(element: z.ZodType, items: readonly unknown[]): Steps<Parsed<unknown[]>> {
  const data: unknown[] = [];
  for (const [index, item] of items.entries()) {
    if (isPauseDue(countValues(item, VALUES_PER_STEP))) yield;
    const parsed = yield* parseInSteps(element, item);
    if (!parsed.success) return { success: false, issue: within([index], parsed.issue) };
    data.push(parsed.data);
  }
  return { success: true, data };
}

function isLong(value: unknown): boolean {
  return countValues(value, VALUES_PER_STEP) >= VALUES_PER_STEP;
}

/** Returns the value with an empty list in place of each long list, and adds the long lists to `lists`. */
function takeLongLists(
  schema: z.ZodType,
  value: unknown,
  path: readonly string[],
  lists: LongList[],
): unknown {
  if (Array.isArray(value)) {
    const element = findForm(schema, "array")?.element;
    if (element === undefined || getDefinition(element).type === "unknown" || !isLong(value)) return value;
    lists.push({ path, element, items: value });
    return [];
  }
  if (!isObject(value)) return value;
  const shape = findForm(schema, "object")?.shape;
  if (shape === undefined) return value;
  let copy: Record<string, unknown> | undefined;
  for (const name of Object.keys(shape)) {
    const [member, memberSchema] = [value[name], shape[name]];
    if (typeof member !== "object" || member === null || memberSchema === undefined) continue;
    const shortened = takeLongLists(memberSchema, member, [...path, name], lists);
    if (shortened === member) continue;
    copy ??= { ...value };
    copy[name] = shortened;
  }
  return copy ?? value;
}

/** Returns the definition of a schema's only form of this type; undefined if the schema has none or several. */
function findForm(schema: z.ZodType, type: "array" | "object"): Definition | undefined {
  const definition = getDefinition(schema);
  if (definition.type === type) return definition;
  if (definition.type === "nullable" || definition.type === "optional")
    return definition.innerType && findForm(definition.innerType, type);
  if (definition.type !== "union") return undefined;
  const forms = (definition.options ?? []).flatMap((option) => findForm(option, type) ?? []);
  return forms.length === 1 ? forms[0] : undefined;
}

function getDefinition(schema: z.ZodType): Definition {
  return schema._zod.def as unknown as Definition;
}

/** Replaces the member at `path` in place and returns the value, which must be a copy that a schema returned. */
function withMember(value: unknown, path: readonly string[], member: unknown): unknown {
  const name = path.at(-1);
  if (name === undefined) return member;
  const owner = path
    .slice(0, -1)
    .reduce<unknown>((object, step) => (object as Record<string, unknown>)[step], value);
  (owner as Record<string, unknown>)[name] = member;
  return value;
}

function within(path: readonly PropertyKey[], issue: Issue): Issue {
  return { ...issue, path: [...path, ...issue.path] };
}
