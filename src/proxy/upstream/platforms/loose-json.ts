/** A JSON object whose members are checked where they are read. */
export type Json = Readonly<Record<string, unknown>>;

/** Returns the value if it is an object, else an empty one. */
export function asObject(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

/** Returns the objects of a list; an empty list for any other value. */
export function asObjects(value: unknown): Json[] {
  return Array.isArray(value) ? value.map(asObject) : [];
}

/** Returns the members that are defined. */
export function withoutUndefined(members: Json): Json {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
