import { join } from "node:path";
import type { InstallTarget } from "../agent.ts";

/** OpenCode, or a program derived from it, which reads the same formats from folders with its name. */
export interface OpenCodeProgram {
  /** The id in the registry, which is also the name of its folders and of its settings file. */
  readonly id: string;
  readonly name: string;
  /** The variable whose JSON is merged with the settings files. */
  readonly settingsVariable: string;
  /**
   * Whether the program's model sees a message that is added while a tool runs. Kilo 7.7.7 leaves such a
   * message out of the next request, so long feedback and a switch of agents would be lost.
   */
  readonly sendsMessages: boolean;
  /** The program's own tool that ends planning. */
  readonly planTool?: string | undefined;
}

export const openCodeProgram: OpenCodeProgram = {
  id: "opencode",
  name: "OpenCode",
  // https://opencode.ai/docs/cli, "Environment variables".
  settingsVariable: "OPENCODE_CONFIG_CONTENT",
  sendsMessages: true,
};

export const kiloProgram: OpenCodeProgram = {
  id: "kilo",
  name: "Kilo",
  settingsVariable: "KILO_CONFIG_CONTENT",
  sendsMessages: false,
  planTool: "plan_exit",
};

/** Returns the folder for plugins and commands of the person or the project. */
export function programFolder(
  { id }: OpenCodeProgram,
  { home, project, environment }: InstallTarget,
): string {
  if (project !== undefined) return join(project, `.${id}`);
  return join(environment["XDG_CONFIG_HOME"] || join(home, ".config"), id);
}
