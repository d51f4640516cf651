import type { AddressInfo } from "node:net";
import { parseConfiguration } from "../../src/config/load.ts";
import type { ProxyConfig } from "../../src/config/proxy/config.ts";
import { resolveProxyConfig } from "../../src/config/proxy/resolve.ts";
import { fileSchema } from "../../src/config/proxy/schema.ts";
import { createProxy, type ProxyParts, type ProxyServer } from "../../src/proxy/create-proxy.ts";
import type { Refusal } from "../../src/proxy/observability/refusals.ts";
import type { CallRecord } from "../../src/proxy/observability/request-log.ts";
import { watchForCanaries } from "./canaries.ts";

export interface TestProxy {
  readonly url: string;
  readonly server: ProxyServer;
  readonly records: CallRecord[];
  readonly refusals: Refusal[];
  readonly internal: unknown[];
  /** Lines for the person who runs the proxy. */
  readonly notes: string[];
  readonly reload: (settings: object) => void;
  readonly close: () => Promise<void>;
}

/** A configuration as in the file. */
export function configOf(settings: object, environment: Record<string, string> = {}, dataDirectory?: string) {
  const text = JSON.stringify({ proxy: settings });
  const file = parseConfiguration(text, "test.json");
  const parsed = fileSchema.parse(file.value).proxy;
  const loaded = { settings: parsed, path: "test.json", file, getSource: () => "default" };
  return resolveProxyConfig(loaded, environment, {
    localServers: [],
    generatedKey: undefined,
    dataDirectory,
  });
}

/** The real proxy on its own socket. Closing it fails if it has written a secret anywhere (`canaries.ts`). */
export async function startTestProxy(
  settings: object,
  environment: Record<string, string> = {},
  {
    tls,
    telemetry,
    gateway,
    dataDirectory,
    shared,
  }: Pick<ProxyParts, "telemetry" | "gateway" | "shared"> & {
    readonly tls?: ProxyConfig["tls"];
    readonly dataDirectory?: string;
  } = {},
): Promise<TestProxy> {
  const records: CallRecord[] = [];
  const refusals: Refusal[] = [];
  const internal: unknown[] = [];
  const notes: string[] = [];
  const config = { ...configOf(settings, environment, dataDirectory), tls };
  const server = createProxy(config, {
    telemetry,
    gateway,
    shared,
    log: {
      add: (record) => records.push(record),
      afterWrite: (run) => run(),
      refused: (refusal) => refusals.push(refusal),
      close: async () => {},
    },
    onInternal: (error) => internal.push(error),
    note: (line) => void notes.push(line),
  });
  const canaries = watchForCanaries(
    server,
    { records, refusals, internal },
    config.secrets,
    firstKeyOf(settings),
  );
  await server.app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = server.app.server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    server,
    records,
    refusals,
    internal,
    notes,
    reload: (next) => server.reload(configOf(next)),
    close: async () => {
      try {
        await canaries.check();
      } finally {
        await server.close();
      }
    },
  };
}

/** Returns a key that the proxy accepts, if the settings contain one as text. */
function firstKeyOf(settings: { readonly api_keys?: readonly unknown[] }): string | undefined {
  return settings.api_keys?.find((key) => typeof key === "string");
}

/** Waits until the condition is true; otherwise the test fails by its time limit. */
export async function until(test: () => boolean): Promise<void> {
  while (!test()) await new Promise((resolve) => setTimeout(resolve, 5));
}
