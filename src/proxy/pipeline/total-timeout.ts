import { AppError } from "../../errors.ts";
import { type Call, recordError } from "./call.ts";
import { respondWithError } from "./client-response.ts";

/** The longest delay that a timer accepts, in milliseconds. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Ends a call that takes longer than `timeouts.total`. Returns a function that cancels this. */
export function limitTotal(call: Call): () => void {
  const { totalMs } = call.runtime.config;
  const timer = setTimeout(() => end(call, totalMs), Math.min(totalMs, MAX_TIMER_MS));
  return () => clearTimeout(timer);
}

function end(call: Call, totalMs: number): void {
  const error = new AppError("upstream_timeout", `The call took longer than ${totalMs / 1000} s`);
  const { response } = call;
  call.isTimedOut = true;
  if (response.headersSent) response.destroy();
  else respondWithError(call, error);
  recordError(call, error);
}
