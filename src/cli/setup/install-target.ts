import { join } from "node:path";
import { isSea } from "node:sea";
import type { Agent, InstallTarget } from "../../agents/agent.ts";
import { createReceiptStore, type ReceiptStore } from "../../agents/file-edits/receipts.ts";
import { ownCommand, shellLine } from "../../agents/own-command.ts";
import { dataDirectory, getHomeDirectory, processEnvironment } from "../../config/paths.ts";
import { AppError } from "../../errors.ts";
import { findRepository, projectFolder } from "../project-folder.ts";

/**
 * Returns the target of an installation by this process. `project` and `live` are the values of the flags.
 */
export async function currentInstallTarget(project: boolean, live = false): Promise<InstallTarget> {
  const script = isSea() ? undefined : process.argv[1];
  const argv = await ownCommand({
    program: process.execPath,
    script,
    searchPath: processEnvironment["PATH"] ?? "",
  });
  return {
    home: getHomeDirectory(processEnvironment),
    project: project ? projectFolder(process.cwd()) : undefined,
    command: shellLine(argv),
    live,
    argv,
    environment: processEnvironment,
  };
}

/** Throws `usage` if `--project` is given for an agent that has no settings for a project. */
export function requireProjectSettings(
  { name, isUserOnly }: Agent,
  flags: { readonly project: boolean },
): void {
  if (!flags.project || !isUserOnly) return;
  throw new AppError("usage", `${name} has no settings for a project`, {
    hint: "Omit --project to change your settings, which apply to all your projects.",
  });
}

/** Throws `usage` if `--project` is given outside of a repository. */
export function requireRepository(flags: { readonly project: boolean }): void {
  const folder = process.cwd();
  if (!flags.project || findRepository(folder) !== undefined) return;
  throw new AppError("usage", `No repository found for --project: ${folder} is not in one`, {
    hint: "Run the command in a repository, or omit --project to change your settings, which apply to all your projects.",
  });
}

/**
 * Returns the receipts of one agent, or of the service: `review` for a hook, `proxy` for a connection. A file can have
 * a receipt of each part.
 */
export function openReceipts(agent: string, part: "review" | "proxy"): ReceiptStore {
  return createReceiptStore(join(dataDirectory(processEnvironment), "agents", agent, part));
}
