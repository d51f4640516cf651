import type { RelayedDialect, RelayTask, ResponseDetails } from "./relay-task.ts";

/** Returns the usage of a whole response and its error, or else a watch from which the usage can be estimated. */
export function readWhole(
  body: Buffer,
  kind: RelayTask["kind"],
  dialect: RelayedDialect | undefined,
): ResponseDetails {
  const usage = dialect?.parseUsage(body);
  const responseError = kind === "model" ? dialect?.readError(body) : undefined;
  if (usage !== undefined || responseError !== undefined) return { usage, responseError };
  const watch = dialect?.createWatch();
  watch?.push(body);
  return { watch };
}
