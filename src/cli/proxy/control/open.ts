import { dataDirectory, processEnvironment } from "../../../config/paths.ts";
import { parsePort, readReviewEnvironment } from "../../../config/review/environment.ts";
import type { Output } from "../../output.ts";
import { chooseOpening, openBrowser } from "../../review/browser.ts";
import { chooseProxy, listRunningProxies } from "../running-proxies.ts";

export interface ProxyOpenFlags {
  readonly port?: string;
  readonly json: boolean;
}

/** Runs `sallyport proxy open`: opens the dashboard in the browser and prints its URL. Resolves to the exit code. */
export async function openDashboard(flags: ProxyOpenFlags, output: Output): Promise<number> {
  const running = await listRunningProxies(dataDirectory(processEnvironment));
  const url = `${chooseProxy(running, parsePort(flags.port, "--port")).url}/`;
  const opening = chooseOpening(readReviewEnvironment(processEnvironment), true);
  if (opening.how === "not" && opening.tunnel)
    output.note("No browser opened: this is a remote session. Open the URL through a tunnel (ssh -L).");
  await openBrowser(opening, url, (text) => output.note(text));
  await output.result(flags.json ? JSON.stringify({ url }) : url);
  return 0;
}
