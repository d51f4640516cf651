import { processEnvironment } from "../../../config/paths.ts";
import type { ProxyConfig } from "../../../config/proxy/config.ts";
import { getErrorMessage } from "../../../errors.ts";
import { listen } from "../../../http/listen.ts";
import { createProxy } from "../../../proxy/create-proxy.ts";
import type { Gateway } from "../../../proxy/gateway/gateway.ts";
import { createMemoryLimits } from "../../../proxy/gateway/limits-memory.ts";
import type { RotatingFile } from "../../../proxy/observability/rotating-file.ts";
import type { Output } from "../../output.ts";
import { version } from "../../version.ts";
import { createCallLog } from "./call-log.ts";
import { dashboardPage } from "./dashboard-page.ts";
import { getListenerDescriptor } from "./hand-over.ts";
import { getInheritedListener } from "./inherited-listener.ts";
import { loadTelemetry } from "./load-telemetry.ts";
import { openLimits, primeLimits } from "./open-limits.ts";
import type { Serving } from "./serving.ts";

/** Serves the proxy in this process. */
export async function serveAlone(
  first: ProxyConfig,
  logFile: RotatingFile,
  output: Output,
  gateway: Gateway | undefined,
): Promise<Serving> {
  let config = first;
  const shared = await openLimits(
    () => config,
    output,
    gateway,
    (line) => logFile.write(line),
  );
  const limits = shared?.limits ?? createMemoryLimits();
  const proxy = createProxy(first, {
    telemetry: await loadTelemetry(first, output),
    limits,
    cooldownShare: shared?.cooldowns,
    log: createCallLog(logFile, () => config.logging.requests, output, gateway !== undefined),
    gateway,
    version,
    onInternal: (error) => output.note(`internal error: ${getErrorMessage(error)}`),
    note: (line) => output.note(line),
    dashboardPage,
  });
  let drained: Promise<void> | undefined;
  return {
    listen: () =>
      listen(proxy.app, { ...first, descriptor: getInheritedListener(processEnvironment, process.pid) }),
    listener: () => getListenerDescriptor(proxy.app.server),
    retire: () => proxy.retire(),
    async reload(next) {
      proxy.reload(next);
      config = next;
    },
    noteRefused: proxy.noteRefused,
    // This process reads the keys from the database itself.
    setKeys: (_snapshot, spent) => primeLimits(limits, spent),
    async announceStop() {
      proxy.announceStop();
    },
    refuse() {
      drained ??= proxy.drain();
      return proxy.refuse();
    },
    drained: async () => drained,
    close: () => proxy.close(),
    broken: new Promise(() => {}),
  };
}
