import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { systemErrorCode } from "../errors.ts";

/**
 * Identifies a process. Process ids are reused, so on Linux the start time is compared as well. Only processes of this
 * host (or of this container, if it has its own host name) can be looked up.
 */
export interface ProcessMark {
  readonly pid: number;
  readonly host: string;
  /** Clock ticks between boot and start, if the system reports them. */
  readonly started?: string;
}

/** Returns the mark that identifies a process, by default this one. */
export function getProcessMark(pid: number = process.pid): ProcessMark {
  const started = readStartTime(pid);
  return { pid, host: hostname(), started };
}

/** Returns whether the process that the mark identifies may still run. Treats a process of another host as running. */
export function mayStillRun({ pid, host, started }: ProcessMark): boolean {
  if (host !== hostname()) return true;
  if (started !== undefined && process.platform === "linux") return readStartTime(pid) === started;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemErrorCode(error) === "EPERM";
  }
}

/** Returns whether a value read from a file is a mark. */
export function isProcessMark(value: unknown): value is ProcessMark {
  return (
    typeof value === "object" &&
    value !== null &&
    "pid" in value &&
    Number.isSafeInteger(value.pid) &&
    Number(value.pid) > 0 &&
    "host" in value &&
    typeof value.host === "string"
  );
}

/**
 * Returns the 22nd field of /proc/PID/stat; the second one may contain spaces and parentheses. Returns undefined for a
 * process that has ended, even if it was not reaped, and on systems other than Linux. See proc_pid_stat(5).
 */
function readStartTime(pid: number): string | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" || fields[0] === "X" ? undefined : fields[19];
  } catch {
    return undefined;
  }
}
