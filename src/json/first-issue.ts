import type { core } from "zod";

/**
 * Option of zod's `parse` and `safeParse`: stops at the first issue. Without it, zod makes an issue for every element of a list
 * that is wrong, which takes seconds and gigabytes for a list of a million. zod reads it, and names it in its inner types only;
 * `test/json/first-issue.test.ts` holds it to what it does.
 */
export const FIRST_ISSUE: core.ParseContext<core.$ZodIssue> & { readonly abortEarly: true } = {
  abortEarly: true,
};
