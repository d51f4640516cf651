import { z } from "zod";

const text = z.string().min(1);

export const httpUrl = z
  .url({
    protocol: /^https?$/,
    error: ({ input }) => (input === undefined ? "is missing" : "must be an http or https URL"),
  })
  .refine((url) => !/^https?:\/\/[^/?#]*@/i.test(url), "must not contain a password; use headers instead");

export const headerName = z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, "is not a header name");

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
      keychain: text.describe("The name of a secret in the system's keychain: sallyport keychain set NAME."),
    }),
    z.strictObject({
      command: z
        .union([text, z.array(text).min(1)])
        .describe("A shell command, or a program with its arguments, that prints the secret."),
      ttl: z.number().positive().optional().describe("Seconds until the command runs again."),
    }),
  ],
  { error: "must be a string, { env }, { file }, { keychain } or { command, ttl }" },
);

/** Headers by name; a value is its text, or the source of a secret. */
export const headersSchema = z.record(headerName, z.union([headerText, secretSource]));

/** A key: its text, or the source of the text. */
export const keySecret = z.union([headerText.min(1), secretSource]);

export type SecretSettings = z.infer<typeof keySecret>;
