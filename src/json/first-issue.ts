/**
 * Option of zod's `parse` and `safeParse`: stops at the first issue. Without it, zod makes an issue for every element of a list
 * that is wrong, which takes seconds and gigabytes for a list of a million.
 */
export const FIRST_ISSUE = { abortEarly: true } as const;
