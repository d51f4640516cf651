/** Makes each member whose type includes `undefined` optional, and removes `undefined` from its type. */
export type Defined<Value> = {
  [Key in keyof Value as undefined extends Value[Key] ? never : Key]: Value[Key];
} & { [Key in keyof Value as undefined extends Value[Key] ? Key : never]?: Exclude<Value[Key], undefined> };

/** Returns the object without its undefined members, so that encoders omit them. */
export function defined<Value extends object>(value: Value): Defined<Value> {
  const result: Record<string, unknown> = {};
  for (const key in value) {
    const member = value[key];
    if (member !== undefined) result[key] = member;
  }
  return result as Defined<Value>;
}
