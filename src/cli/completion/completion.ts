import type { Command } from "commander";
import { launchedAgents, proxyClients, reviewedAgents } from "../../agents/registry.ts";
import { AppError } from "../../errors.ts";
import { listPages } from "../docs.ts";
import type { Output } from "../output.ts";
import { bashCompletion } from "./bash.ts";
import { type CommandFacts, commandTree, type KnownValues } from "./command-tree.ts";
import { fishCompletion } from "./fish.ts";
import { createPowershellCompletion } from "./powershell.ts";
import { zshCompletion } from "./zsh.ts";

export interface CompletionFlags {
  readonly json: boolean;
}

const SHELLS: Readonly<Record<string, (tree: readonly CommandFacts[]) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
  powershell: createPowershellCompletion,
};

const KNOWN: KnownValues = {
  agent: reviewedAgents.map(({ id }) => id),
  "sallyport run <agent>": launchedAgents.map(({ id }) => id),
  client: proxyClients.map(({ id }) => id),
  shell: Object.keys(SHELLS),
  "--origin": ["claude-code", "opencode"],
  "--workers": ["auto"],
  "--auth-mode": ["off", "strict", "all_except_health", "auto"],
  "--severity": ["info", "warning", "error"],
  "--role": ["user", "metrics", "admin"],
  "--capture": ["off", "errors", "all", "default"],
  "--by": ["key", "team", "model", "upstream", "day", "hour", "minute"],
  "sallyport proxy import <source>": ["ccr", "litellm"],
};

/**
 * Runs `sallyport completion SHELL`: prints the script. Throws `usage` if the shell is missing or not supported. Does
 * not use `@bomb.sh/tab` or `omelette`, because their scripts start the program at each press of Tab
 * (docs/dependencies.md).
 */
export async function completion(
  shell: string | undefined,
  { json }: CompletionFlags,
  program: Command,
  output: Output,
): Promise<number> {
  if (shell === undefined) {
    throw new AppError("usage", "No shell specified", {
      hint: `Run one of: sallyport completion ${Object.keys(SHELLS).join("|")}`,
    });
  }
  const script = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
  if (!script) {
    throw new AppError("usage", `There is no completion script for the shell "${shell}"`, {
      hint: `Supported shells: ${Object.keys(SHELLS).join(", ")}.`,
    });
  }
  // If the folder of the pages cannot be read, their names are not completed.
  const page = await listPages().catch(() => []);
  const text = script(commandTree(program, { ...KNOWN, page })).trimEnd();
  await output.result(json ? JSON.stringify({ shell, script: text }) : text);
  return 0;
}
