import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { writeDurably } from "../../../files/durable-file.ts";
import { livePlanFolder } from "../../../review/live/log-folder.ts";
import { dataFolder } from "./find-review.ts";

/** The result of a tool: the text, and the same content as data. */
export interface ToolResult {
  readonly content: object;
  readonly text: string;
}

/** The characters of a result's text that remain beside the path of the file with all of it. */
const KEPT_CHARACTERS = 20_000;

/**
 * The characters of a result as JSON that a client passes to its model. Cline CLI 3.0.65 removes the middle of a result of
 * more than 50,000 characters.
 */
const LIMITS: readonly (readonly [client: RegExp, name: string, characters: number])[] = [
  [/^cline/i, "Cline", 45_000],
];

/**
 * Resolves to a result that the client passes to its model completely: one that is too long is saved to a file, which the
 * shortened text names.
 */
export async function fitToClient(result: ToolResult, client: string): Promise<ToolResult> {
  const limit = LIMITS.find(([pattern]) => pattern.test(client));
  if (limit === undefined || JSON.stringify(result).length <= limit[2]) return result;
  const file = join(livePlanFolder(dataFolder()), `${randomBytes(8).toString("hex")}.md`);
  await writeDurably(file, result.text);
  const rest = `\n\n[Too long for ${limit[1]}: the end is missing here; it is in ${file}.]`;
  const { event } = result.content as { readonly event?: unknown };
  return {
    content: event === undefined ? { file } : { event, file },
    text: `${result.text.slice(0, KEPT_CHARACTERS)}${rest}`,
  };
}
