/** Returns the candidate most similar to a mistyped name; undefined if none is similar. Pure. */
export function findClosest(name: string, candidates: readonly string[]): string | undefined {
  const wanted = simplify(name);
  const limit = Math.max(1, Math.floor(wanted.length / 3));
  const ranked = candidates
    .map((candidate) => ({ candidate, distance: countEdits(wanted, simplify(candidate)) }))
    .filter(({ distance }) => distance <= limit)
    .sort((one, other) => one.distance - other.distance);
  return ranked[0]?.candidate;
}

/**
 * Returns a name in lower case without separators, so that `baseUrl` and `base-url` are equal to `base_url`.
 */
function simplify(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}

/**
 * Returns the number of single-character edits between two texts: insertions, deletions, replacements and
 * exchanges of neighbors (optimal string alignment distance).
 */
function countEdits(one: string, other: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const same = one[row - 1] === other[column - 1];
      const swapped =
        row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      current[column] = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
        swapped ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [beforeLast, last] = [last, current];
  }
  return last[other.length] ?? 0;
}

/** Common wrong values in configurations, grouped by the correct value. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  messages: ["anthropic", "claude"],
  "chat-completions": ["openai", "chat", "completions", "chat_completions", "openai-compatible", "ollama"],
  responses: ["openai-responses", "codex"],
  "generative-language": ["google", "gemini", "generativelanguage"],
};

/** Returns the value of a closed list that a wrong value probably means, or undefined. Pure. */
export function findClosestValue(value: string, values: readonly string[]): string | undefined {
  const meant = values.find((each) => SYNONYMS[each]?.includes(value.toLowerCase()));
  return meant ?? findClosest(value, values);
}

/** The members of a JSON Schema that lead to the keys of objects. */
interface ObjectSchema {
  readonly properties?: Readonly<Record<string, ObjectSchema>>;
  readonly additionalProperties?: ObjectSchema | boolean;
  readonly items?: ObjectSchema;
  readonly anyOf?: readonly ObjectSchema[];
}

/** Returns the keys that a JSON Schema allows at a path. Pure. */
export function listKeysAt(schema: object, path: readonly PropertyKey[]): readonly string[] {
  let schemas: readonly ObjectSchema[] = [schema];
  for (const key of path) schemas = schemas.flatMap((each) => listBelow(each, key));
  return schemas.flatMap(listAlternatives).flatMap(({ properties }) => Object.keys(properties ?? {}));
}

function listBelow(schema: ObjectSchema, key: PropertyKey): readonly ObjectSchema[] {
  return listAlternatives(schema).flatMap(({ properties, additionalProperties, items }) => {
    const own = properties?.[String(key)] ?? (typeof key === "number" ? items : undefined);
    if (own) return [own];
    return typeof additionalProperties === "object" ? [additionalProperties] : [];
  });
}

function listAlternatives(schema: ObjectSchema): readonly ObjectSchema[] {
  return schema.anyOf ? schema.anyOf.flatMap(listAlternatives) : [schema];
}
