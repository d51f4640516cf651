import { writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { type ImportedConfiguration, importConfiguration } from "../../config/import/import-configuration.ts";
import { readConfigurationText } from "../../config/load.ts";
import { processEnvironment } from "../../config/paths.ts";
import { AppError, systemErrorCode } from "../../errors.ts";
import { getReason } from "../../files/durable-file.ts";
import type { Output } from "../output.ts";

export interface ProxyImportFlags {
  readonly json: boolean;
  readonly output?: string;
}

type Program = ImportedConfiguration["program"];

/** The programs by the names that the command accepts. */
const PROGRAMS = new Map<string, Program>([
  ["ccr", "claude-code-router"],
  ["litellm", "LiteLLM"],
]);

/**
 * Runs `sallyport proxy import`: converts another proxy's configuration file, prints or writes the result, and reports
 * each setting that was not converted. `source` is a program's name or a file; a file's program is recognized. Resolves
 * to the exit code.
 */
export async function importProxyConfiguration(
  source: string,
  named: string | undefined,
  flags: ProxyImportFlags,
  output: Output,
): Promise<number> {
  const expected = PROGRAMS.get(source);
  const file = findFile(source, named, expected);
  const text = await readConfigurationText(file, true);
  const { program, proxy, notes } = importConfiguration(text, file, processEnvironment);
  if (expected !== undefined && program !== expected)
    throw new AppError("configuration", `${file} is a configuration of ${program}, not of ${expected}`);
  const configuration = `${JSON.stringify({ proxy }, null, 2)}\n`;
  if (flags.output !== undefined) await writeNew(flags.output, configuration);
  if (!flags.json) {
    const upstreams = Object.keys(proxy.upstreams).length;
    output.note(`${program}: ${count(upstreams, "upstream")}, ${count(notes.length, "note")}`);
    for (const note of notes) output.note(`  ${note.setting}: ${note.text}`);
  }
  if (flags.json) await output.result(JSON.stringify({ program, proxy, notes }, null, 2));
  else await output.result(flags.output ?? configuration);
  return 0;
}

/** Returns the file to import. Throws `usage` if the arguments name none, or an unknown program. */
function findFile(source: string, named: string | undefined, program: Program | undefined): string {
  if (program === undefined && named !== undefined)
    throw new AppError("usage", `Cannot import from "${source}"`, {
      hint: `Use one of: ${[...PROGRAMS.keys()].join(", ")}. Or pass only the file.`,
    });
  if (program === undefined) return source;
  if (named !== undefined) return named;
  if (program === "claude-code-router") return join(homedir(), ".claude-code-router", "config.json");
  throw new AppError("usage", `Cannot import from ${program}: its configuration has no fixed path`, {
    hint: `Pass the file: sallyport proxy import ${source} config.yaml`,
  });
}

/**
 * Writes a new file that only the user can read, because the configuration can contain keys. Throws `usage` if the file
 * exists or cannot be written.
 */
async function writeNew(path: string, content: string): Promise<void> {
  await writeFile(path, content, { flag: "wx", mode: 0o600 }).catch((cause: unknown) => {
    if (systemErrorCode(cause) === "EEXIST")
      throw new AppError("usage", `Cannot write ${path}: the file exists`, {
        hint: "Name another file, or move this one away.",
      });
    throw new AppError("usage", `Cannot write ${path}: ${getReason(cause)}`, {
      cause,
      hint: "Name a file in a folder that exists and that you can write to.",
    });
  });
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
