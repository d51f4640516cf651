/** Returns a table's own member. `table[name]` would also find inherited members such as `constructor`. */
export function ownMember<Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
