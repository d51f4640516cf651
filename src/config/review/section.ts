import { z } from "zod";
import { explainIssues, readConfigurationFile } from "../load.ts";
import { plainIssue } from "../plain-issue.ts";
import { REVIEW_DEFAULTS, type ReviewConfiguration } from "./configuration.ts";

/** The `review` section of the configuration file. */
export const reviewSchema = z.strictObject({
  sharing: z
    .boolean()
    .default(REVIEW_DEFAULTS.sharing)
    .describe("Offer links and files for sending the plan to a colleague."),
  browser: z.string().exactOptional().describe("The program that gets the URL; `none` opens nothing."),
  allowed_uids: z
    .array(z.number().int().min(0))
    .exactOptional()
    .describe("Uids of users of this machine that may read and decide reviews, in addition to you and root."),
  ask: z
    .strictObject({
      base_url: z
        .url({ protocol: /^https?$/, error: "must be an http or https URL" })
        .describe("An API of the chat-completions dialect, for example your `sallyport proxy`."),
      model: z.string().min(1).describe("The model that answers questions on the page."),
      api_key_env: z.string().min(1).exactOptional().describe("The environment variable with the key."),
    })
    .exactOptional()
    .describe("The model that you can ask about lines of a review. Without it, you cannot ask."),
  plan_save: z
    .strictObject({
      enabled: z
        .boolean()
        .default(REVIEW_DEFAULTS.plan_save.enabled)
        .describe("Keep a copy of every decided plan."),
      folder: z
        .string()
        .exactOptional()
        .describe("The folder of these copies: absolute, or beginning with ~/."),
    })
    .prefault({}),
});

/** The file with only its `review` section parsed. */
const fileSchema = z.looseObject({ review: reviewSchema.prefault({}) });

/** Reads the `review` section. Throws `configuration` if the file cannot be read or is invalid. */
export async function readReviewConfiguration(
  path: string,
  mustExist: boolean,
): Promise<ReviewConfiguration> {
  const file = await readConfigurationFile(path, mustExist);
  const result = fileSchema.safeParse(file === undefined ? {} : file.value, { error: plainIssue });
  if (result.success) return result.data.review;
  throw file ? explainIssues(result.error.issues, file, fileSchema) : result.error;
}
