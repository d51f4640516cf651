import { spawn } from "node:child_process";
import type { ReviewEnvironment } from "../../config/review-environment.ts";

/** How the page gets in front of the person. */
export type Opening =
  | { readonly how: "default" }
  | { readonly how: "program"; readonly program: string }
  /** Not at all: switched off, or the person sits elsewhere. */
  | { readonly how: "not"; readonly tunnel: boolean };

/** Decides what to open. Over SSH and in remote mode a browser here would open for nobody. Pure. */
export function openingOf(environment: ReviewEnvironment, open: boolean): Opening {
  const { remote, ssh, browser, desktop } = environment;
  if (remote || ssh) return { how: "not", tunnel: true };
  if (!open || browser?.toLowerCase() === "none") return { how: "not", tunnel: false };
  if (browser) return { how: "program", program: browser };
  return desktop ? { how: "default" } : { how: "not", tunnel: false };
}

/**
 * Opens the page as well as it can. Never throws and never waits: the URL has been printed. `tell` learns of a program
 * of the person's own that could not be started.
 */
export async function openBrowser(
  opening: Opening,
  url: string,
  tell: (text: string) => void,
): Promise<void> {
  if (opening.how === "not") return;
  try {
    if (opening.how === "program") return launch(opening.program, url, tell);
    const { default: open } = await import("open");
    const child = await open(url);
    child.on("error", (error) => tell(notStarted(error)));
    child.unref();
  } catch {
    // The person has the URL.
  }
}

function launch(program: string, url: string, tell: (text: string) => void): void {
  const child = spawn(program, [url], { stdio: "ignore", detached: true });
  child.on("error", (error) => tell(notStarted(error)));
  child.unref();
}

const notStarted = ({ message }: Error): string =>
  `The browser could not be started (${message}): open the address yourself.`;
