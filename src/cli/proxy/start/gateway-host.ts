import { dirname, join } from "node:path";
import type { ProxyConfig } from "../../../config/proxy/config.ts";
import { AppError, getErrorMessage } from "../../../errors.ts";
import { replaceFile } from "../../../files/durable-file.ts";
import { makeFolders } from "../../../files/make-folders.ts";
import type { DatabaseState, Gateway } from "../../../proxy/gateway/gateway.ts";
import { createKeyDirectory, type KeyDirectory } from "../../../proxy/gateway/key-directory.ts";
import type { KeySnapshot } from "../../../proxy/gateway/key-store.ts";
import type { SpentBudget } from "../../../proxy/gateway/limits-spent.ts";
import type { OpenGateway } from "../../../proxy/gateway/open-gateway.ts";
import type { Output } from "../../output.ts";
import { sqliteWorkerFiles } from "../../worker-files.ts";
import { requiredKeys, setRequiresKeys } from "./requires-keys.ts";

/** The database of `proxy start`, in the process that writes the request log. */
export interface GatewayHost extends Gateway {
  readonly directory: KeyDirectory;
  /** Whether the database must be open before the first call is accepted. */
  readonly opensFirst: boolean;
  /** Opens the database. Throws an `AppError`, such as `configuration` or `storage`, if the database cannot be used. */
  open(): Promise<void>;
  /** The log that the ledger reads. */
  readonly log: string;
  /** Appends to the log the lines that killed processes have left in their journals. Never rejects. */
  recover(): Promise<void>;
  /** Reports new lines in the log. */
  wake(): void;
  /** Returns whether a file of the log may be deleted. */
  mayDelete(path: string): Promise<boolean>;
  /** Passes keys, and the spent amounts of budgets, to the processes that serve calls. Set it before calling `open`. */
  passOn: (snapshot: KeySnapshot, spent: readonly SpentBudget[]) => Promise<void>;
  /** The keys as they were last read; undefined until the database is open. */
  readonly snapshot: KeySnapshot | undefined;
  /** The amounts of budgets already spent when the budgets were first read. */
  readonly spent: readonly SpentBudget[];
  /** Reads keys and budgets again, after the configuration has changed. Never rejects. */
  refresh(): Promise<void>;
  close(): Promise<void>;
  /** Ends immediately, as a killed process would: the next start reads from the log the rows that the ledger lacks. */
  abandon(): void;
}

/** Returns the path of the file with the admin key that the first start creates. */
function adminKeyFile(dataDirectory: string): string {
  return join(dataDirectory, "proxy", "admin-key");
}

/** Returns whether a configured key needs the database, for a budget or for the limits of its team. */
function needsDatabase({ keys }: ProxyConfig): boolean {
  return keys.some(({ limits, team }) => limits?.budgets?.length || team !== undefined);
}

/**
 * Creates the host; returns undefined without a database. The default database is opened after the listener, so that it
 * does not delay the start, unless the database required keys when it was last read, or a configured key needs it.
 */
export function createGatewayHost(
  config: () => ProxyConfig,
  log: string,
  dataDirectory: string,
  output: Output,
): GatewayHost | undefined {
  const { database, isDatabaseConfigured } = config();
  if (database.engine === "none") return undefined;
  const directory = createKeyDirectory();
  let opened: OpenGateway | undefined;
  let failure: AppError | undefined;
  let opening: Promise<OpenGateway> | undefined;
  const abandoned = new AbortController();
  const openOnce = async (): Promise<OpenGateway> => {
    const { openGateway } = await import("../../../proxy/gateway/open-gateway.ts");
    return openGateway({
      location: database,
      workerFiles: sqliteWorkerFiles,
      log,
      config,
      note: (line) => output.note(line),
      signal: abandoned.signal,
      async onKeys(snapshot, spent) {
        host.snapshot = snapshot;
        host.spent = [...host.spent, ...spent];
        // Counting starts from the amounts already spent, so they must be known before the first call of a
        // key.
        await host.passOn(snapshot, spent);
        directory.replace(snapshot);
        await setRequiresKeys(dataDirectory, snapshot.requiresKeys).catch(() => {});
      },
      async keepAdminKey(secret) {
        const path = adminKeyFile(dataDirectory);
        await makeFolders(dirname(path), 0o700);
        await replaceFile(path, `${secret}\n`, 0o600, { exactMode: true });
      },
    });
  };
  const host = {
    log,
    async recover() {
      const { recoverJournals } = await import("../../../proxy/observability/line-journal.ts");
      await recoverJournals(log).catch(() => {});
      host.wake();
    },
    directory,
    opensFirst: isDatabaseConfigured || requiredKeys(dataDirectory) || needsDatabase(config()),
    snapshot: undefined as KeySnapshot | undefined,
    spent: [] as readonly SpentBudget[],
    passOn: async (_snapshot: KeySnapshot, _spent: readonly SpentBudget[]) => {},
    refresh: async () => opened?.refresh().catch(() => {}),
    async open() {
      opening ??= openOnce();
      try {
        opened = await opening;
      } catch (cause) {
        if (abandoned.signal.aborted) return;
        failure =
          cause instanceof AppError
            ? cause
            : new AppError("storage", `The database cannot be opened: ${getErrorMessage(cause)}`, { cause });
        throw failure;
      }
    },
    async store() {
      if (failure) throw failure;
      return (await (opening ?? Promise.reject(new AppError("overloaded", "The database is not open yet"))))
        .store;
    },
    state(): DatabaseState {
      if (opened) return opened.state();
      const status = failure ? "down" : "opening";
      return { engine: database.engine, status, reason: failure?.message ?? null };
    },
    wake: () => opened?.ledger.wake(),
    async mayDelete(path: string) {
      if (failure) return true;
      return opened !== undefined && !(await opened.ledger.needs(path));
    },
    async close() {
      await opening?.catch(() => {});
      await opened?.close();
    },
    abandon: () => abandoned.abort(),
  };
  return host;
}
