import { readFile } from "node:fs/promises";
import { parseEnv } from "node:util";
import { AppError, getErrorMessage } from "../errors.ts";
import { setMissingVariables } from "./paths.ts";

/**
 * Sets the variables of a `.env` file that are not set, in the syntax that Node.js reads with `--env-file`. Throws
 * `configuration` if the file cannot be read.
 */
export async function loadEnvironmentFile(path: string): Promise<void> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    throw new AppError(
      "configuration",
      `Cannot read the environment file ${path}: ${getErrorMessage(cause)}`,
      {
        cause,
        hint: "Set --env-file to a file with lines of the form NAME=value.",
      },
    );
  }
  setMissingVariables(parseEnv(text));
}
