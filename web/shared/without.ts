/** Returns a set without one value. */
export function without<Value>(values: ReadonlySet<Value>, value: Value): ReadonlySet<Value> {
  const rest = new Set(values);
  rest.delete(value);
  return rest;
}

/** Returns a map without one entry. */
export function withoutEntry<Key, Value>(map: ReadonlyMap<Key, Value>, key: Key): ReadonlyMap<Key, Value> {
  const rest = new Map(map);
  rest.delete(key);
  return rest;
}
