/**
 * What a table says of a name that comes from outside. `table[name]` would also find what every object inherits: a
 * tool called `constructor` is none that we know.
 */
export function ownMember<Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
