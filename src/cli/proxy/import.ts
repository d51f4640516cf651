import { writeFile } from "node:fs/promises";
import { importConfiguration } from "../../config/import/import-configuration.ts";
import { readConfigurationText } from "../../config/load.ts";
import { processEnvironment } from "../../config/paths.ts";
import { AppError, systemErrorCode } from "../../errors.ts";
import { getReason } from "../../files/durable-file.ts";
import type { Output } from "../output.ts";

export interface ProxyImportFlags {
  readonly json: boolean;
  readonly output?: string;
}

/**
 * Runs `sallyport proxy import FILE`: converts another proxy's configuration file, prints or writes the result, and
 * reports each setting that was not converted. Resolves to the exit code.
 */
export async function importProxyConfiguration(
  file: string,
  flags: ProxyImportFlags,
  output: Output,
): Promise<number> {
  const text = await readConfigurationText(file, true);
  const { program, proxy, notes } = importConfiguration(text, file, processEnvironment);
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
