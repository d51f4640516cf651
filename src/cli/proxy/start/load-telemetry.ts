import type { ProxyConfig } from "../../../config/proxy/config.ts";
import type { ProxyParts } from "../../../proxy/create-proxy.ts";
import type { Output } from "../../output.ts";
import { version } from "../../version.ts";

/** Loads OpenTelemetry if the configuration or the environment names an endpoint. */
export async function loadTelemetry(
  { otel, workers }: ProxyConfig,
  output: Pick<Output, "note">,
): Promise<ProxyParts["telemetry"]> {
  const { exporter } = otel;
  if (exporter === undefined) return undefined;
  const { openTelemetry } = await import("../../../proxy/otel/open-telemetry.ts");
  const from = workers > 1 ? ` by worker ${process.pid}` : "";
  return (instanceId) =>
    openTelemetry({
      exporter,
      version,
      instanceId,
      onFailure: (reason) => output.note(`Telemetry cannot be exported${from}: ${reason}`),
    });
}
