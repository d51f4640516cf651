import { spawn } from "node:child_process";
import { once } from "node:events";
import { argumentsWith, type BrowserCommand, browserCommands } from "../../config/browser-commands.ts";
import type { ReviewEnvironment } from "../../config/review/environment.ts";
import { getErrorMessage } from "../../errors.ts";

/** The way to open the page. */
type Way =
  | { readonly how: "default" }
  | { readonly how: "program"; readonly program: string }
  /**
   * The page is not opened, because opening is disabled, the person is at another machine, or this machine has no
   * desktop (`isMissing`). `isForwarded`: an editor forwards the port to the person's machine.
   */
  | { readonly how: "not"; readonly isMissing?: true; readonly isForwarded?: true };

/** The way to open the page, and whether the person needs an SSH tunnel to reach it. */
export type Opening = Way & { readonly tunnel: boolean };

/**
 * Returns the way to open the page. In remote mode, and over SSH without BROWSER, the person would not see a browser on
 * this machine. Editors with a remote server set BROWSER to a script that opens the person's own browser. Pure.
 */
export function chooseOpening(environment: ReviewEnvironment, open: boolean): Opening {
  const { remote, ssh, browser, desktop, forwardsPorts } = environment;
  const tunnel = (remote || ssh) && !forwardsPorts;
  const isOff = !open || browser?.toLowerCase() === "none";
  if (!remote && !isOff && browser) return { how: "program", program: browser, tunnel };
  if (forwardsPorts) return { how: "not", tunnel, isForwarded: true };
  if (remote || ssh || isOff) return { how: "not", tunnel };
  return desktop ? { how: "default", tunnel: false } : { how: "not", tunnel: false, isMissing: true };
}

/**
 * Tries to open the page. Never rejects, and callers need not await the promise, because callers also print the URL.
 * `report` gets the reason if this machine has no desktop or the browser's program cannot be started.
 */
export async function openBrowser(opening: Way, url: string, report: (text: string) => void): Promise<void> {
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
    // The caller prints the URL.
  }
}

/** Starts the first command whose program can be started. Reports the last failure if none can be. */
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
