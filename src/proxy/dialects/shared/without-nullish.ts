/** The members that were said: neither undefined nor null, which vendors use alike for "not said". */
export function withoutNullish<Members extends Record<string, unknown>>(
  members: Members,
): { [Name in keyof Members]?: NonNullable<Members[Name]> } {
  const present: Partial<Record<keyof Members, unknown>> = {};
  for (const name of Object.keys(members) as (keyof Members)[]) {
    if (members[name] !== undefined && members[name] !== null) present[name] = members[name];
  }
  return present as { [Name in keyof Members]?: NonNullable<Members[Name]> };
}
