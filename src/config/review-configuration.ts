import { existsSync } from "node:fs";
import { z } from "zod";
import { configFile, type Environment } from "./paths.ts";
import { plainIssue } from "./plain-issue.ts";

/** The `review` section of the configuration file. */
export const reviewSchema = z.strictObject({
  sharing: z.boolean().default(true).describe("Offer links and files that carry the plan to a colleague."),
  browser: z.string().exactOptional().describe("The program that gets the URL; `none` opens nothing."),
  plan_save: z
    .strictObject({
      enabled: z.boolean().default(true).describe("Keep a copy of every decided plan."),
      folder: z.string().exactOptional().describe("Where; absolute, or beginning with ~/."),
    })
    .prefault({}),
});

/** The part of the file that is about reviews; the others belong to others. */
const fileSchema = z.looseObject({ review: reviewSchema.prefault({}) });

/** What holds for reviews where flags, environment and the person's own choices say nothing. */
export type ReviewConfiguration = z.infer<typeof reviewSchema>;

/**
 * The `review` section of the configuration file, defaults filled in. The file is read only where it is there, as
 * most people have none. Throws `configuration` naming file, line and key.
 */
export async function loadReviewConfiguration(environment: Environment): Promise<ReviewConfiguration> {
  const path = configFile(environment);
  const isNamed = Boolean(environment["SERVICE_CONFIG"]);
  if (!isNamed && !existsSync(path)) return reviewSchema.parse({});
  const { readConfigurationFile, explainIssues } = await import("./configuration-file.ts");
  const file = await readConfigurationFile(path, isNamed);
  const result = fileSchema.safeParse(file?.value ?? {}, { error: plainIssue });
  if (result.success) return result.data.review;
  throw file ? explainIssues(result.error.issues, file, "docs/review-plan.md") : result.error;
}
