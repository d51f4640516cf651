import http from "node:http";
import { dataDirectory, processEnvironment } from "../../../config/paths.ts";
import { parsePort, readReviewEnvironment } from "../../../config/review/environment.ts";
import type { Output } from "../../output.ts";
import { chooseOpening, openBrowser } from "../../review/browser.ts";
import { table } from "../../table.ts";
import { chooseProxy, listRunningProxies } from "../running-proxies.ts";

/** The exit code if no proxy runs, as for `systemctl status`. */
export const NOT_RUNNING = 3;

/** Runs `sallyport proxy status`: lists the proxies that run on this machine. Resolves to the exit code. */
export async function showProxyStatus({ json }: { readonly json: boolean }, output: Output): Promise<number> {
  const running = await listRunningProxies(dataDirectory(processEnvironment));
  const proxies = await Promise.all(
    running.map(async ({ url, port, pid, version, since, configuration, workers, service }) => ({
      url,
      port,
      pid,
      version,
      since,
      configuration,
      workers,
      service,
      ready: await isReady(url),
    })),
  );
  if (json) await output.result(JSON.stringify({ proxies }, null, 2));
  else if (proxies.length === 0) await output.result("No proxy runs. Start one: sallyport proxy start");
  else
    await output.result(
      table(
        ["url", "pid", "version", "since", "started by", "state", "configuration"],
        proxies.map((proxy) => [
          proxy.url,
          String(proxy.pid),
          proxy.version,
          proxy.since.slice(0, 19).replace("T", " "),
          proxy.service ?? "command",
          proxy.ready ? "ready" : "not ready",
          proxy.configuration,
        ]),
      ),
    );
  return proxies.length === 0 ? NOT_RUNNING : 0;
}

/**
 * Returns whether a proxy accepts calls. The status 401 counts too, because /readyz may require a key. The certificate
 * is not verified, because it is issued for the host name that clients use.
 */
async function isReady(url: string): Promise<boolean> {
  const get = url.startsWith("https:") ? (await import("node:https")).get : http.get;
  return new Promise((resolve) => {
    const options = { agent: false, rejectUnauthorized: false, timeout: 2_000 };
    const request = get(new URL("/readyz", url), options, (response) => {
      resolve(response.statusCode === 200 || response.statusCode === 401);
      request.destroy();
    });
    request.on("timeout", () => request.destroy());
    request.on("error", () => resolve(false));
  });
}

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
