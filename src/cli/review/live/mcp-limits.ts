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

/** Characters of a shortened result's text, before the path of the file with the whole text. */
const KEPT_CHARACTERS = 5_000;

/**
 * Maximum characters of a result's JSON, for clients that shorten results before they pass them to a model. Cline CLI
 * 3.0.65 removes the middle of a result of more than 8,000 characters.
 */
const LIMITS: readonly (readonly [client: RegExp, name: string, characters: number])[] = [
  [/^(@cline\/|cline)/i, "Cline", 7_500],
];

/**
 * Shortens a result that the client would cut off: removes its data except `event` and, if the text alone is too long,
 * replaces the end of the text with the path of a file that contains the whole text. Writes that file.
 */
export async function fitToClient(result: ToolResult, client: string): Promise<ToolResult> {
  const limit = LIMITS.find(([pattern]) => pattern.test(client));
  if (limit === undefined) return result;
  const [, name, characters] = limit;
  const isFitting = (some: ToolResult) => JSON.stringify(some).length <= characters;
  if (isFitting(result)) return result;
  const { event } = result.content as { readonly event?: unknown };
  const content = event === undefined ? {} : { event };
  const short = { content, text: result.text };
  if (isFitting(short)) return short;
  const file = join(livePlanFolder(dataFolder()), `${randomBytes(8).toString("hex")}.md`);
  await writeDurably(file, result.text);
  // The cut can separate a surrogate from its pair.
  const begin = result.text.slice(0, KEPT_CHARACTERS).replace(/[\ud800-\udbff]$/, "");
  return {
    content: { ...content, file },
    text: `${begin}\n\n[Too long for ${name}: the end is missing here; it is in ${file}.]`,
  };
}
