import { isDeepStrictEqual } from "node:util";
import type { ProxyConfig } from "../../../config/proxy/config.ts";
import type { ProxySettings } from "../../../config/proxy/schema.ts";
import { AppError, getErrorMessage } from "../../../errors.ts";
import type { Output } from "../../output.ts";
import { noteNewKey, type ReadConfiguration } from "../../proxy-configuration.ts";
import type { Serving } from "./serving.ts";

/** The configuration that a running proxy uses. */
export interface InForce {
  config: ProxyConfig;
  settings: ProxySettings;
  /** Whether the last reload failed. */
  hasFailed?: boolean;
}

/**
 * Applies the current configuration. If it cannot be read or used, the old one stays, and the reason is shown in the
 * terminal and on the dashboard. With `onlyIfChanged`, an unchanged configuration is not applied, so that cooldowns and
 * model lists are kept, unless the last reload failed. Never rejects.
 */
export async function reloadConfiguration(
  inForce: InForce,
  read: () => Promise<ReadConfiguration>,
  serving: Pick<Serving, "reload" | "noteRefused">,
  output: Pick<Output, "note">,
  onlyIfChanged = false,
): Promise<void> {
  try {
    const { config, newKey, loaded } = await read();
    if (onlyIfChanged && !inForce.hasFailed && isDeepStrictEqual(config, inForce.config)) return;
    await serving.reload(config);
    inForce.hasFailed = false;
    if (newKey !== undefined) noteNewKey(newKey, output);
    const waiting = findRestartSettings(inForce.config, config);
    if (waiting.length > 0)
      output.note(`These settings take effect at the next start: ${waiting.join(", ")}.`);
    inForce.config = config;
    inForce.settings = loaded.settings;
    output.note("Configuration reloaded.");
  } catch (error) {
    inForce.hasFailed = true;
    const reason = `${error instanceof AppError ? "" : "internal error: "}${getErrorMessage(error)}`;
    serving.noteRefused(reason);
    output.note(`Configuration not reloaded; the previous one stays in force. ${reason}`);
  }
}

/** Returns the changed settings that a running proxy cannot apply. */
function findRestartSettings(before: ProxyConfig, after: ProxyConfig): readonly string[] {
  const hasChanged = {
    port: before.port !== after.port,
    host: before.host !== after.host,
    scheme: (before.tls === undefined) !== (after.tls === undefined),
    "limits.connections": before.limits.connections !== after.limits.connections,
    "number of workers": before.workers !== after.workers,
    database: locateDatabase(before) !== locateDatabase(after),
    Redis: locateRedis(before) !== locateRedis(after),
    "telemetry endpoint": !isDeepStrictEqual(before.otel.exporter, after.otel.exporter),
  };
  return Object.entries(hasChanged).flatMap(([name, changed]) => (changed ? [name] : []));
}

function locateDatabase({ database }: ProxyConfig): string | undefined {
  if (database.engine === "postgres") return locatePostgres(database.url);
  return database.engine === "sqlite" ? database.path : undefined;
}

/**
 * Returns the URL of PostgreSQL without its password, which may change: new connections use the current
 * password.
 */
function locatePostgres(url: string): string {
  const location = new URL(url);
  location.password = "";
  return location.href;
}

/**
 * Returns the URL of Redis without user and password, which may change: new connections use the current
 * values.
 */
function locateRedis({ redis }: ProxyConfig): string | undefined {
  if (redis === undefined) return undefined;
  const location = new URL(redis);
  location.username = "";
  location.password = "";
  return location.href;
}

/**
 * Returns a function that runs `act`, never twice at the same time. Calls during a run cause one more run
 * after it, so that an older result cannot replace a newer one. `act` must not reject.
 */
export function oneAtATime(act: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let isRequestedAgain = false;
  const runUntilCurrent = async () => {
    do {
      isRequestedAgain = false;
      await act();
    } while (isRequestedAgain);
    running = undefined;
  };
  return () => {
    if (running) isRequestedAgain = true;
    running ??= runUntilCurrent();
    return running;
  };
}
