import { spawn } from "node:child_process";
import { once } from "node:events";
import { argumentsWith, type BrowserCommand, browserCommands } from "../../config/browser-commands.ts";
import type { ReviewEnvironment } from "../../config/review/environment.ts";
import { messageOf } from "../../errors.ts";

/** How the page gets in front of the person. */
export type Opening =
  | { readonly how: "default" }
  | { readonly how: "program"; readonly program: string }
  /** Not at all: switched off, the person sits elsewhere, or there is no desktop to open it on. */
  | { readonly how: "not"; readonly tunnel: boolean; readonly isMissing?: true };

/** Decides what to open. Over SSH and in remote mode a browser here would open for nobody. Pure. */
export function openingOf(environment: ReviewEnvironment, open: boolean): Opening {
  const { remote, ssh, browser, desktop } = environment;
  if (remote || ssh) return { how: "not", tunnel: true };
  if (!open || browser?.toLowerCase() === "none") return { how: "not", tunnel: false };
  if (browser) return { how: "program", program: browser };
  return desktop ? { how: "default" } : { how: "not", tunnel: false, isMissing: true };
}

/**
 * Opens the page as well as it can. Never throws, and nobody has to wait for it: the URL has been printed. `tell` gets
 * the reason where a browser was wanted and none could be opened.
 */
export async function openBrowser(
  opening: Opening,
  url: string,
  report: (text: string) => void,
): Promise<void> {
  if (opening.how === "not") {
    if (opening.isMissing)
      report("No browser was opened: no desktop was found. Open the address in any browser.");
    return;
  }
  try {
    if (opening.how === "program") return await startFirst(browserCommands(opening.program), url, report);
    const { default: open } = await import("open");
    const child = await open(url);
    child.on("error", (error) => report(notStarted(error)));
    child.unref();
  } catch {
    // The person has the URL.
  }
}

/** Starts the first of the commands whose program there is; tells of the last where there is none. */
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

/** What keeps a program from being started; undefined once it runs on by itself. */
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
  `The browser could not be started (${messageOf(error)}): open the address yourself.`;
