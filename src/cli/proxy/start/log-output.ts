import type { LoggingConfig } from "../../../config/proxy/config.ts";
import { createLineBatches } from "../../../proxy/observability/line-batches.ts";
import { createRotatingFile, type RotatingFile } from "../../../proxy/observability/rotating-file.ts";

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
