import { join } from "node:path";
import { isSea } from "node:sea";
import type { InstallTarget } from "../../agents/agent.ts";
import { createReceiptStore, type ReceiptStore } from "../../agents/file-edits/receipts.ts";
import { ownCommand, shellLine } from "../../agents/own-command.ts";
import { dataDirectory, getHomeDirectory, processEnvironment } from "../../config/paths.ts";
import { projectFolder } from "../project-folder.ts";

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

/**
 * Returns the receipts of one agent: `review` for its hook, `proxy` for its connection. Both may cover the same file.
 */
export function openReceipts(agent: string, part: "review" | "proxy"): ReceiptStore {
  return createReceiptStore(join(dataDirectory(processEnvironment), "agents", agent, part));
}
