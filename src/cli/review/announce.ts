import { hostname, userInfo } from "node:os";
import type { Output } from "../output.ts";
import { writeReadyFile } from "../ready-file.ts";
import { isBeyondLoopback } from "./listen-review.ts";
import { openBrowser, openingOf } from "./open-browser.ts";
import type { ReviewFlags } from "./review-program.ts";
import type { ReviewJob } from "./run-review.ts";

export interface Announcement {
  readonly port: number;
  readonly job: ReviewJob;
  readonly flags: ReviewFlags;
  readonly output: Output;
}

/** Tells everybody where the review is: the person on stderr, programs in the ready file, and the browser. Resolves to its URL. */
export async function announce({ port, job, flags, output }: Announcement): Promise<string> {
  const url = `http://localhost:${port}`;
  const { settings } = job.workplace;
  const opening = openingOf(settings.environment, flags.open);
  output.note(`Review the ${job.kind === "plan" ? "plan" : "changes"} at ${url}`);
  if (opening.how === "not" && opening.tunnel) {
    output.note(`From your own machine: ssh -L ${port}:localhost:${port} ${userName()}@${hostname()}`);
  }
  if (isBeyondLoopback(settings.host)) {
    output.note(`Warning: reachable at ${settings.host} too. Anyone who can connect can read and decide.`);
  }
  if (flags.readyFile) await writeReadyFile(flags.readyFile, url, port);
  void openBrowser(opening, url, (text) => output.note(text));
  return url;
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return "user";
  }
}
