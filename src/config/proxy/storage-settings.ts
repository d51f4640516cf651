import { z } from "zod";

const text = z.string().min(1);

/** The settings of the `proxy` section that say what is stored, where and how long. */
export const storageSettings = {
  database: text
    .optional()
    .describe("Where keys and usage are kept: sqlite (the default), sqlite:PATH, a postgres URL or none."),
  database_env: text.optional().describe("The environment variable that holds the database's URL."),
  retention: z
    .strictObject({
      calls: z.number().int().min(1).max(3_650).default(90).describe("Days that single calls are kept."),
    })
    .prefault({}),
  store: z.literal("memory").optional().describe('Deprecated: the same as `database: "none"`.'),
};
