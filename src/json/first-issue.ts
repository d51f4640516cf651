import type { core } from "zod";

/**
 * Option of zod's `parse` and `safeParse`: stops at the first issue. Without it, zod creates an issue for every invalid
 * element of a list, which takes seconds and gigabytes for a million elements. Only zod's internal types declare the
 * option; `test/json/first-issue.test.ts` checks that it works.
 */
export const FIRST_ISSUE: core.ParseContext<core.$ZodIssue> & { readonly abortEarly: true } = {
  abortEarly: true,
};
