import type { LoggingConfig } from "../../../config/proxy/config.ts";
import { createLineBatches, type LineSink } from "../../../proxy/observability/line-batches.ts";
import { readableLine } from "../../../proxy/observability/readable-line.ts";
import { createRefusalLines, createRefusalReporter } from "../../../proxy/observability/refusals.ts";
import { type RequestLog, recordLine } from "../../../proxy/observability/request-log.ts";
import { createRotatingFile, type RotatingFile } from "../../../proxy/observability/rotating-file.ts";
import type { Output } from "../../output.ts";

/**
 * Creates the request log: writes each call's metadata to `lines` if `isAskedFor` returns true, and one line per call
 * to an interactive terminal.
 */
export function createCallLog(lines: LineSink, isAskedFor: () => boolean, output: Output): RequestLog {
  const refusals = createRefusalLines((line) => lines.write(line));
  const reportRefusal = createRefusalReporter((line) => {
    if (output.interactive) output.note(line);
  });
  return {
    add(record) {
      if (isAskedFor()) lines.write(recordLine(record));
      if (output.interactive) output.note(readableLine(record));
    },
    refused(refusal) {
      if (isAskedFor()) refusals.add(refusal);
      reportRefusal(refusal);
    },
    close() {
      refusals.flush();
      return lines.close();
    },
  };
}

/**
 * Creates the request log's output: its file or, with `logging.to: "stdout"`, standard output, as containers expect.
 */
export function createLogOutput(
  path: string,
  logging: () => LoggingConfig,
  onError: (error: unknown) => void,
  stdout: Pick<NodeJS.WriteStream, "write"> = process.stdout,
): RotatingFile {
  const file = createRotatingFile(path, logging, onError);
  const append = (lines: Uint8Array): Promise<void> =>
    logging().to === "file"
      ? file.append(lines)
      : new Promise((resolve) => stdout.write(lines, () => resolve()));
  const { write, close } = createLineBatches(append);
  return {
    append,
    write,
    async close() {
      await close();
      await file.close();
    },
  };
}
