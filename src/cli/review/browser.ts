import { spawn } from "node:child_process";
import { once } from "node:events";
import { argumentsWith, type BrowserCommand, browserCommands } from "../../config/browser-commands.ts";
import type { ReviewEnvironment } from "../../config/review/environment.ts";
import { getErrorMessage } from "../../errors.ts";

/** The way to open the page. */
export type Opening =
  | { readonly how: "default" }
  | { readonly how: "program"; readonly program: string }
  /** Not opened: opening is off, the person is at another machine, or this machine has no desktop. */
  | { readonly how: "not"; readonly tunnel: boolean; readonly isMissing?: true };

/** Decides what to open. Over SSH and in remote mode a browser on this machine would be useless. Pure. */
export function chooseOpening(environment: ReviewEnvironment, open: boolean): Opening {
  const { remote, ssh, browser, desktop } = environment;
  if (remote || ssh) return { how: "not", tunnel: true };
  if (!open || browser?.toLowerCase() === "none") return { how: "not", tunnel: false };
  if (browser) return { how: "program", program: browser };
  return desktop ? { how: "default" } : { how: "not", tunnel: false, isMissing: true };
}

/**
 * Tries to open the page. Never throws, and callers need not await it: the URL has been printed. `report` gets the
 * reason if a browser was requested and could not be opened.
 */
export async function openBrowser(
  opening: Opening,
  url: string,
  report: (text: string) => void,
): Promise<void> {
  if (opening.how === "not") {
    if (opening.isMissing) report("No browser opened: no desktop found. Open the URL in any browser.");
    return;
  }
  try {
    if (opening.how === "program") return await startFirst(browserCommands(opening.program), url, report);
    const { default: open } = await import("open");
    const child = await open(url);
    child.on("error", (error) => report(notStarted(error)));
    child.unref();
  } catch {
    // The URL has been printed.
  }
}

/** Starts the first command whose program exists. Reports the last failure if none does. */
async function startFirst(
  [command, ...others]: readonly BrowserCommand[],
  url: string,
  report: (text: string) => void,
): Promise<void> {
  if (command === undefined) return;
  const failure = await failureToStart(command[0], argumentsWith(url, command));
  if (failure === undefined) return;
  return others.length > 0 ? startFirst(others, url, report) : report(notStarted(failure));
}

/** Returns the error if a program cannot be started, or undefined once it runs detached. */
async function failureToStart(program: string, args: readonly string[]): Promise<unknown> {
  try {
    const child = spawn(program, args, { stdio: "ignore", detached: true });
    child.unref();
    await once(child, "spawn");
    return undefined;
  } catch (error) {
    return error;
  }
}

const notStarted = (error: unknown): string =>
  `Cannot start the browser (${getErrorMessage(error)}). Open the URL yourself.`;
