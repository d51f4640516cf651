import { hostname, userInfo } from "node:os";
import { createOpenTabs } from "../../review/storage/open-tabs.ts";
import type { Output } from "../output.ts";
import { openReadyFile } from "../ready-file.ts";
import { openBrowser, openingOf } from "./browser.ts";
import { isBeyondLoopback } from "./listen.ts";
import type { ReviewFlags } from "./program.ts";
import type { ReviewJob } from "./run.ts";

export interface Announcement {
  readonly port: number;
  readonly job: ReviewJob;
  readonly flags: ReviewFlags;
  readonly output: Output;
}

/** What is left to do once the review answers. */
export interface Announced {
  readonly url: string;
  /** Opens the browser, where a tab of the last review may be waiting: to be called if it does not come. */
  readonly open?: () => void;
}

/** Tells everybody where the review is: the person on stderr, programs in the ready file, and the browser. */
export async function announce({ port, job, flags, output }: Announcement): Promise<Announced> {
  const url = `http://localhost:${port}`;
  const { settings } = job.workplace;
  const opening = openingOf(settings.environment, flags.open);
  const readyFile = flags.readyFile ? await openReadyFile(flags.readyFile) : undefined;
  output.note(`Review the ${job.kind === "plan" ? "plan" : "changes"} at ${url}`);
  if (opening.how === "not" && opening.tunnel) {
    output.note(`From your own machine: ssh -L ${port}:localhost:${port} ${userName()}@${hostname()}`);
  }
  if (isBeyondLoopback(settings.host)) {
    output.note(`Warning: reachable at ${settings.host} too. Anyone who can connect can read and decide.`);
  }
  await readyFile?.write(url, port);
  const open = () => void openBrowser(opening, url, (text) => output.note(text));
  const isTabLeft =
    opening.how !== "not" && (await createOpenTabs(job.workplace.dataDirectory).mayWait(port));
  if (isTabLeft) return { url, open };
  open();
  return { url };
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return "user";
  }
}
