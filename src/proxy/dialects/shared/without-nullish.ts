/** Returns the members that are neither undefined nor null; vendors treat both as absent. */
export function withoutNullish<Members extends Record<string, unknown>>(
  members: Members,
): { [Name in keyof Members]?: NonNullable<Members[Name]> } {
  const present: Partial<Record<keyof Members, unknown>> = {};
  for (const name of Object.keys(members) as (keyof Members)[]) {
    if (members[name] !== undefined && members[name] !== null) present[name] = members[name];
  }
  return present as { [Name in keyof Members]?: NonNullable<Members[Name]> };
}
