import { readdir, readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { shellLine } from "../../agents/own-command.ts";
import { loadPackages, MARKETPLACE_FILE, packageFiles } from "../../agents/packages/packages.ts";
import { dataDirectory, processEnvironment } from "../../config/paths.ts";
import { AppError, getErrorMessage, systemErrorCode } from "../../errors.ts";
import { replaceFile } from "../../files/durable-file.ts";
import { makeFolders } from "../../files/make-folders.ts";
import { getReadReason } from "../../files/read-reason.ts";
import type { Output } from "../output.ts";
import { table } from "../table.ts";
import { version } from "../version.ts";
import { currentInstallTarget } from "./install-target.ts";

interface PluginFlags {
  readonly json: boolean;
}

/** Runs `sallyport plugin list`. Resolves to the exit code. */
export async function listPlugins({ json }: PluginFlags, output: Output): Promise<number> {
  const packages = (await loadPackages()).map(({ id, format, agents, gives }) => ({
    id,
    format,
    agents,
    gives,
  }));
  await output.result(
    json
      ? JSON.stringify({ packages }, null, 2)
      : table(
          ["PACKAGE", "FORMAT", "AGENTS", "GIVES"],
          packages.map(({ id, format, agents, gives }) => [id, format, agents, gives]),
        ),
  );
  return 0;
}

/**
 * Runs `sallyport plugin export [FOLDER]`: writes every package, and prints how to install them. Without a folder,
 * writes to the data directory, where only the user can read the files.
 */
export async function exportPlugins(
  given: string | undefined,
  { json }: PluginFlags,
  output: Output,
): Promise<number> {
  const folder = given === undefined ? join(dataDirectory(processEnvironment), "plugins") : resolve(given);
  await requireOwnFolder(folder);
  const { command, argv } = await currentInstallTarget(false);
  const files = await packageFiles({ command, argv, version, platform: process.platform });
  const modes = given === undefined ? PRIVATE : DEFAULT;
  for (const { path, content } of files) await write(join(folder, path), content, modes);
  const packages = (await loadPackages()).map(({ id, format, install }) => ({
    id,
    format,
    install: install(shellLine([folder])),
  }));
  if (json) {
    await output.result(JSON.stringify({ folder, packages }, null, 2));
    return 0;
  }
  for (const { format, install } of packages) output.note([`${format}:`, ...install].join("\n  "));
  await output.result(folder);
  return 0;
}

const OTHER_FOLDER = "Name a folder that is empty or does not exist.";

/**
 * Throws `usage` if a folder contains files but not the marketplace file of an earlier export, and `unreadable` if it
 * cannot be read.
 */
async function requireOwnFolder(folder: string): Promise<void> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (systemErrorCode(error) === "ENOENT") return [];
    throw new AppError("unreadable", `Cannot read ${folder}: ${getReadReason(error)}`, {
      cause: error,
      hint: OTHER_FOLDER,
    });
  });
  if (names.length === 0) return;
  const marketplace = await readFile(join(folder, MARKETPLACE_FILE), "utf8").catch(() => "");
  if (/"name": "sallyport"/.test(marketplace)) return;
  throw new AppError("usage", `Cannot write to ${folder}: it contains other files`, {
    hint: OTHER_FOLDER,
  });
}

interface Modes {
  readonly file: number;
  readonly folder: number;
}

const PRIVATE: Modes = { file: 0o600, folder: 0o700 };
/** The modes that the system gives to new files and folders, before the umask. */
const DEFAULT: Modes = { file: 0o666, folder: 0o777 };

async function write(path: string, content: string, modes: Modes): Promise<void> {
  try {
    await makeFolders(dirname(path), modes.folder);
    await replaceFile(path, content, modes.file, { durable: false });
  } catch (error) {
    throw new AppError("storage", `Cannot write ${path}: ${getErrorMessage(error)}`, {
      cause: error,
      hint: "Name a folder that you can write to.",
    });
  }
}
