import { z } from "zod";

const text = z.string().min(1);

/** Text that is valid in a header. */
export const headerText = z
  .string()
  .regex(/^[\t\x20-\x7e\x80-\xff]*$/, "must not contain line breaks or characters beyond Latin-1");

/** The source of a secret outside the configuration file. */
export const secretSource = z.union(
  [
    z.strictObject({ env: text.describe("The environment variable with the secret.") }),
    z.strictObject({ file: text.describe("The file with the secret, read again when it changes.") }),
    z.strictObject({
      command: z
        .union([text, z.array(text).min(1)])
        .describe("Prints the secret: a shell command, or a program with its arguments."),
      ttl: z.number().positive().optional().describe("Seconds until the command runs again."),
    }),
  ],
  { error: "must be a string, { env }, { file } or { command, ttl }" },
);

/** A key: its text, or the source of the text. */
export const keySecret = z.union([headerText.min(1), secretSource]);

export type SecretSettings = z.infer<typeof keySecret>;
