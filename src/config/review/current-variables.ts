import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";
import type { Environment } from "../paths.ts";
import { isEditorHelper } from "./environment.ts";

/** Variables that tmux updates when a client attaches (option update-environment). */
const OF_CLIENT = ["SSH_CONNECTION", "DISPLAY", "WAYLAND_DISPLAY"] as const;
const TMUX_TIMEOUT_MS = 2_000;

/**
 * Returns the variables with the values of the person's current terminal. A shell in tmux keeps the variables
 * of the client that started it, even if the person has since attached from another machine. Leaves out
 * BROWSER if it belongs to an editor whose window was closed.
 */
export async function currentVariables(variables: Environment): Promise<Environment> {
  const current = variables["TMUX"] ? withClient(variables, await readTmux(variables)) : variables;
  const { BROWSER: browser, VSCODE_IPC_HOOK_CLI: socket } = current;
  if (!isEditorHelper(browser?.trim()) || socket === undefined || existsSync(socket)) return current;
  return { ...current, BROWSER: undefined };
}

/** Returns the output of `tmux show-environment`; empty if the command fails. */
async function readTmux(variables: Environment): Promise<string> {
  const options = { env: { ...variables }, timeout: TMUX_TIMEOUT_MS };
  return promisify(execFile)("tmux", ["show-environment"], options).then(
    ({ stdout }) => stdout,
    () => "",
  );
}

/**
 * Replaces the variables of the terminal with those of the attached client. A line `-NAME` removes a variable that the
 * client lacks. Pure.
 */
export function withClient(variables: Environment, listing: string): Environment {
  const lines = new Set(listing.split("\n"));
  const changed = OF_CLIENT.flatMap((name): [string, string | undefined][] => {
    if (lines.has(`-${name}`)) return [[name, undefined]];
    const line = [...lines].find((text) => text.startsWith(`${name}=`));
    return line === undefined ? [] : [[name, line.slice(name.length + 1)]];
  });
  if (changed.length === 0) return variables;
  // SSH_TTY may be outdated, because it is not among the variables that tmux updates.
  const tty = changed.some(([name]) => name === "SSH_CONNECTION") ? { SSH_TTY: undefined } : {};
  return { ...variables, ...tty, ...Object.fromEntries(changed) };
}
