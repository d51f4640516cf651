import type { LoggingConfig } from "../../../config/proxy/config.ts";
import { createLineBatches, type LineSink } from "../../../proxy/observability/line-batches.ts";
import { readableLine } from "../../../proxy/observability/readable-line.ts";
import { createRefusalLines, createRefusalReporter } from "../../../proxy/observability/refusals.ts";
import { type RequestLog, recordLine } from "../../../proxy/observability/request-log.ts";
import { createRotatingFile, type RotatingFile } from "../../../proxy/observability/rotating-file.ts";
import type { Output } from "../../output.ts";
import type { LedgerLog } from "./ledger-log.ts";

/**
 * Creates the request log: writes each call's metadata to `lines` if `isEnabled` returns true or a ledger reads the
 * lines. On an interactive terminal, or with `--verbose` or `--debug`, it also prints one line per call.
 */
export function createCallLog(
  lines: LineSink,
  isEnabled: () => boolean,
  output: Output,
  hasLedger = false,
): RequestLog {
  const showsCalls = output.interactive || output.verbosity === "verbose" || output.verbosity === "debug";
  const refusals = createRefusalLines((line) => lines.write(line));
  const reportRefusal = createRefusalReporter((line) => {
    if (showsCalls) output.note(line);
  });
  return {
    add(record) {
      if (hasLedger || isEnabled()) lines.write(recordLine(record));
      if (showsCalls) output.note(readableLine(record));
    },
    afterWrite: lines.afterWrite,
    refused(refusal) {
      if (isEnabled()) refusals.add(refusal);
      reportRefusal(refusal);
    },
    close() {
      refusals.flush();
      return lines.close();
    },
  };
}

/**
 * Creates the request log's output: its file or, if `logging.to` is "stdout", standard output, as containers expect.
 * With a ledger, all lines also go to the file that the ledger reads, which usually is the log itself.
 */
export function createLogOutput(
  path: string,
  logging: () => LoggingConfig,
  onError: (error: unknown) => void,
  stdout: Pick<NodeJS.WriteStream, "write"> = process.stdout,
  ledger?: LedgerLog,
): RotatingFile {
  const isLedger = ledger?.path === path;
  const mayDelete = ledger && ((name: string) => ledger.mayDelete(name));
  const limits = () => ({ ...logging(), ...(mayDelete && { mayDelete }) });
  const file = createRotatingFile(path, isLedger ? limits : logging, onError);
  const ledgerFile = ledger && !isLedger ? createRotatingFile(ledger.path, limits, onError) : undefined;
  const appendLog = async (lines: Uint8Array): Promise<void> => {
    const { to, requests } = logging();
    // Without a ledger, lines arrive only if requests are logged.
    const isEnabled = requests || ledger === undefined;
    if (isLedger || (to === "file" && isEnabled)) await file.append(lines);
    if (to === "stdout" && isEnabled)
      await new Promise<void>((resolve) => stdout.write(lines, () => resolve()));
  };
  const append = async (lines: Uint8Array): Promise<void> => {
    await Promise.all([appendLog(lines), ledgerFile?.append(lines)]);
    ledger?.wake();
  };
  const { write, afterWrite, close } = createLineBatches(append, ledger?.journal);
  return {
    append,
    write,
    afterWrite,
    async close() {
      await close();
      await file.close();
      await ledgerFile?.close();
      ledger?.journal?.close();
    },
  };
}
