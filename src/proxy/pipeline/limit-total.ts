import { AppError } from "../../errors.ts";
import { type Call, recordError } from "./call.ts";
import { respondWithError } from "./client-response.ts";

/**
 * Ends a call that takes longer than `timeouts.total`. Returns a function that cancels the time limit; undefined if
 * there is none.
 */
export function limitTotal(call: Call): (() => void) | undefined {
  const { totalMs } = call.runtime.config;
  if (totalMs === 0) return undefined;
  const timer = setTimeout(() => end(call, totalMs), totalMs);
  return () => clearTimeout(timer);
}

function end(call: Call, totalMs: number): void {
  const error = new AppError(
    "upstream_timeout",
    `The call took longer than ${totalMs / 1000} s, the limit in proxy.timeouts.total`,
  );
  const { response } = call;
  call.isTimedOut = true;
  if (response.headersSent) response.destroy();
  else respondWithError(call, error);
  recordError(call, error);
  // The call is recorded once its response is closed, so the response cannot wait for the record.
  call.sendEnd?.();
  call.sendEnd = undefined;
}
