import { join } from "node:path";
import { isSea } from "node:sea";
import type { Agent, InstallTarget } from "../../agents/agent.ts";
import { resolveTarget } from "../../agents/file-edits/changes.ts";
import { createReceiptStore, type ReceiptStore } from "../../agents/file-edits/receipts.ts";
import { ownCommand, shellLine } from "../../agents/own-command.ts";
import { NO_CONNECTION } from "../../agents/proxy-connector.ts";
import type { ProxyClient } from "../../agents/registry.ts";
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
export function requireProjectSettings({ name, isUserOnly }: Agent, flags: ProjectFlag): void {
  if (flags.project && isUserOnly) refuseProject(`${name} has no settings for a project`);
}

/** Throws `usage` if `--project` is given for a client that does not read the proxy's address from a project. */
export function requireProjectConnection(client: ProxyClient, flags: ProjectFlag): void {
  requireProjectSettings(client, flags);
  if (flags.project && client.proxy.isUserOnly)
    refuseProject(`${client.name} ignores the proxy's address in the settings of a project`);
}

interface ProjectFlag {
  readonly project: boolean;
}

function refuseProject(message: string): never {
  throw new AppError("usage", message, {
    hint: "Omit --project to change your settings, which apply to all your projects.",
  });
}

/** Throws `usage` if `--project` is given outside of a repository. */
export function requireRepository(flags: ProjectFlag): void {
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

/** Returns whether `proxy connect` has written one of the client's files, which can be symbolic links. */
export async function isConnected({ id, proxy }: ProxyClient, target: InstallTarget): Promise<boolean> {
  const receipts = openReceipts(id, "proxy");
  const edits = (await proxy.load()).edits(target, NO_CONNECTION);
  const find = async (path: string) => receipts.find(await resolveTarget(path));
  const kept = await Promise.all(edits.map(({ path }) => find(path).catch(() => undefined)));
  return kept.some(Boolean);
}
