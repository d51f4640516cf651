import { dirname, join } from "node:path";
import type { LoggingConfig, ProxyConfig } from "../../../config/proxy/config.ts";
import type { OpenJournal } from "../../../proxy/observability/line-journal.ts";
import type { GatewayHost } from "./gateway-host.ts";

/** The log from which the ledger reads calls. */
export interface LedgerLog {
  readonly path: string;
  /** Keeps the lines that are not in the file yet; undefined if workers write lines or the folder is not writable. */
  readonly journal: OpenJournal | undefined;
  mayDelete(path: string): Promise<boolean>;
  /** Reports new lines in the file. */
  wake(): void;
}

/** Returns the file that the ledger reads: the request log or, if that is off or goes to stdout, `ledger.ndjson`. */
export function ledgerPath(log: string, { requests, to }: LoggingConfig): string {
  return requests && to === "file" ? log : join(dirname(log), "ledger.ndjson");
}

/** Recovers the lines of killed processes, and opens the journal if this process writes lines itself. */
export async function openLedgerLog(
  path: string,
  host: GatewayHost,
  { workers }: ProxyConfig,
): Promise<LedgerLog> {
  const { createJournal, recoverJournals } = await import("../../../proxy/observability/line-journal.ts");
  let journal: OpenJournal | undefined;
  try {
    await recoverJournals(path);
    journal = workers === 1 ? createJournal(path) : undefined;
  } catch {
    // If the folder is not writable, the log reports the error.
  }
  return { path, journal, mayDelete: (name) => host.mayDelete(name), wake: () => host.wake() };
}
