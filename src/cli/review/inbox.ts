import { parsePort } from "../../config/review/environment.ts";
import { pageSource } from "../../http/page-source.ts";
import { createInboxServer } from "../../review/inbox/server.ts";
import type { Output } from "../output.ts";
import { pagesFolder } from "../pages-folder.ts";
import { openReadyFile } from "../ready-file.ts";
import { chooseOpening, openBrowser } from "./browser.ts";
import { getExitCode, startLifecycle } from "./lifecycle.ts";
import { listenForReview } from "./listen.ts";
import { resolveOptions } from "./options.ts";
import { reportTunnel } from "./report-reach.ts";

export interface InboxFlags {
  readonly port?: string;
  readonly open: boolean;
  readonly readyFile?: string;
  readonly json: boolean;
}

/** The default port of the inbox: a fixed one, so that its address stays the same. */
const INBOX_PORT = 8046;

/** Runs `sallyport inbox` until a signal ends it. Resolves to the exit code. */
export async function inbox(flags: InboxFlags, output: Output): Promise<number> {
  const lifecycle = startLifecycle({ outlivesParent: true });
  try {
    const options = await resolveOptions({ open: flags.open, json: false, exitCode: false });
    const { environment, dataDirectory } = options;
    const readyFile = flags.readyFile === undefined ? undefined : await openReadyFile(flags.readyFile);
    const listeners = await listenForReview({
      // Unlike a review, the inbox accepts 0: any free port.
      port: flags.port === "0" ? 0 : (parsePort(flags.port, "--port") ?? INBOX_PORT),
      projectFolder: "",
      signal: lifecycle.signal,
      onRetry: (message) => output.note(message),
    });
    try {
      const app = createInboxServer({
        dataDirectory,
        source: pageSource(pagesFolder),
        onFailure: (error) => output.note(`sallyport: ${String(error)}`),
      });
      await listeners.respondWith(app);
      const url = `http://localhost:${listeners.port}`;
      output.note(`The inbox is at ${url}`, "essential");
      const opening = chooseOpening(environment, flags.open);
      if (opening.tunnel) await reportTunnel(dataDirectory, listeners.port, output);
      await readyFile?.write(url, listeners.port);
      if (flags.json) await output.result(JSON.stringify({ url, port: listeners.port, pid: process.pid }));
      void openBrowser(opening, url, (text) => output.note(text));
      await aborted(lifecycle.signal);
      await app.close();
    } finally {
      listeners.close();
    }
  } catch (error) {
    if (!lifecycle.exitReason) throw error;
  } finally {
    lifecycle.dispose();
  }
  return lifecycle.exitReason ? getExitCode(lifecycle.exitReason) : 0;
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((stop) => signal.addEventListener("abort", () => stop(), { once: true }));
}
