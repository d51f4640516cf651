import { realpath } from "node:fs/promises";
import { delimiter, join } from "node:path";

/** How this process was started, as far as others need it to start us again. */
export interface Started {
  /** Node, or the single executable. */
  readonly program: string;
  /** The script node was given; the same as `program` for the single executable. */
  readonly script: string;
  /** The PATH. */
  readonly searchPath: string;
}

/**
 * The words that run this very installation from anywhere: `sallyport` where the PATH leads to it (so that it
 * survives an update of node), else full paths.
 */
export async function ownCommand({ program, script, searchPath }: Started): Promise<readonly string[]> {
  const real = await realpath(script);
  for (const folder of searchPath.split(delimiter).filter(Boolean)) {
    const found = await realpath(join(folder, "sallyport")).catch(() => undefined);
    if (found === real) return ["sallyport"];
    // Another installation comes first on the PATH and would be run instead of this one.
    if (found !== undefined) break;
  }
  return real === (await realpath(program)) ? [real] : [program, real];
}

/** The words as one line for the shell that agents run hooks with (sh; cmd.exe on Windows). */
export function shellLine(words: readonly string[], platform: NodeJS.Platform = process.platform): string {
  return words.map((word) => quoted(word, platform)).join(" ");
}

/** How long an agent waits for a hook of ours: four days, for a person may sleep over a plan. */
export const PATIENCE_SECONDS = 345_600;

/**
 * The line of a hook on plans. Agents run it by way of a shell, which `exec` makes give way to us: a shell that stayed
 * in between would hide from us that the agent is gone. The page is told how long the agent waits.
 */
export function planHook(command: string, platform: NodeJS.Platform = process.platform): string {
  return `${platform === "win32" ? "" : "exec "}${command} review plan --caller-waits ${PATIENCE_SECONDS}`;
}

/** The same line with its stderr thrown away. */
export function silenced(line: string, platform: NodeJS.Platform = process.platform): string {
  return `${line} 2>${platform === "win32" ? "NUL" : "/dev/null"}`;
}

/** A command that npx fetched for one run is gone after the next clean-up. */
export function isTemporary(words: readonly string[]): boolean {
  return words.some((word) => /[/\\]_npx[/\\]/.test(word));
}

function quoted(word: string, platform: NodeJS.Platform): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  if (platform === "win32") return `"${word}"`;
  return `'${word.replaceAll("'", "'\\''")}'`;
}
