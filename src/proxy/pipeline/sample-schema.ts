/** A value that fits a JSON Schema, as plain as can be: required members only, first of what is listed. */
export function sampleOf(schema: unknown, depth = 0): unknown {
  if (typeof schema !== "object" || schema === null || depth > 16) return {};
  const {
    type,
    properties,
    required,
    items,
    anyOf,
    oneOf,
    default: preset,
    const: fixed,
    enum: listed,
  } = schema as Record<string, unknown>;
  if (fixed !== undefined) return fixed;
  if (preset !== undefined) return preset;
  if (Array.isArray(listed)) return listed[0];
  const choice = [anyOf, oneOf].find((each) => Array.isArray(each));
  if (Array.isArray(choice)) return sampleOf(choice[0], depth + 1);
  switch (String(Array.isArray(type) ? type[0] : type).toLowerCase()) {
    case "string":
      return "example";
    case "number":
    case "integer":
      return 1;
    case "boolean":
      return true;
    case "null":
      return null;
    case "array":
      return items === undefined ? [] : [sampleOf(items, depth + 1)];
    default: {
      const members = Object(properties) as Record<string, unknown>;
      const names = Array.isArray(required) ? required.map(String) : Object.keys(members).slice(0, 1);
      return Object.fromEntries(names.map((name) => [name, sampleOf(members[name], depth + 1)]));
    }
  }
}
