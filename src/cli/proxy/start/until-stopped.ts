import type { Output } from "../../output.ts";
import type { Serving } from "./serving.ts";

/** How long running streams may take to end after the first signal. */
const DRAIN_MS = 30_000;

/**
 * The first signal lets running answers end, the second ends at once. Resolves when it is over, to the exit code; rejects
 * where it cannot be ended.
 */
export function untilStopped(
  serving: Pick<Serving, "refuse" | "drained" | "close">,
  output: Pick<Output, "note">,
): Promise<number> {
  return new Promise((resolve, reject) => {
    let stopping = false;
    let ending = false;
    const end = (code: number) => {
      if (ending) return;
      ending = true;
      process.off("SIGTERM", onSignal);
      process.off("SIGINT", onSignal);
      serving.close().then(() => resolve(code), reject);
    };
    const drain = async () => {
      const limit = setTimeout(() => end(0), DRAIN_MS);
      try {
        await serving.refuse();
        output.note("Stopping: running answers have 30 s to end; a second signal ends them now.");
        await serving.drained();
      } finally {
        clearTimeout(limit);
      }
    };
    const onSignal = (signal: NodeJS.Signals) => {
      if (stopping) return end(signal === "SIGINT" ? 130 : 143);
      stopping = true;
      drain().then(() => end(0), reject);
    };
    process.on("SIGTERM", onSignal);
    process.on("SIGINT", onSignal);
  });
}
