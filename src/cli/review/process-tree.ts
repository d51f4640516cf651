import { existsSync, readFileSync } from "node:fs";

/** A process as in /proc/PID/stat (proc_pid_stat(5)). */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  /** The device number of the controlling terminal, or 0. */
  readonly terminal: number;
  /** Clock ticks since boot; distinguishes a process from a later one with the same id. */
  readonly started: string;
}

const MAX_ANCESTORS = 16;
/** Device numbers of pseudoterminals: majors 136 to 143. */
const FIRST_PTS_MAJOR = 136;
const LAST_PTS_MAJOR = 143;

/** Returns a process, or undefined if it has ended or the system has no /proc. */
export function processEntry(pid: number): ProcessEntry | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The command's name, in parentheses, may contain spaces and parentheses.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const [state, parent = "0", , , terminal = "0"] = fields;
    // A zombie has ended; its parent has not yet read its exit status.
    if (state === "Z" || state === "X") return undefined;
    return { pid, parent: Number(parent), terminal: Number(terminal), started: fields[19] ?? "" };
  } catch {
    return undefined;
  }
}

/** Returns a process and its ancestors, nearest first, without process 1. */
export function ancestorsFrom(pid: number): ProcessEntry[] {
  const found: ProcessEntry[] = [];
  for (let at = pid; at > 1 && found.length < MAX_ANCESTORS; ) {
    const entry = processEntry(at);
    if (!entry) break;
    found.push(entry);
    at = entry.parent;
  }
  return found;
}

/** Returns whether a process has ended since it was looked up. */
export function hasEnded({ pid, started }: ProcessEntry): boolean {
  return processEntry(pid)?.started !== started;
}

/** Returns whether a process has lost its terminal because the window was closed. */
export function hasLostTerminal(entry: ProcessEntry): boolean {
  if (entry.terminal === 0) return false;
  const path = terminalPath(entry.terminal);
  return processEntry(entry.pid)?.terminal === 0 || (path !== undefined && !existsSync(path));
}

function terminalPath(device: number): string | undefined {
  const major = (device >> 8) & 0xfff;
  const minor = (device & 0xff) | ((device >> 12) & 0xfff00);
  if (major < FIRST_PTS_MAJOR || major > LAST_PTS_MAJOR) return undefined;
  return `/dev/pts/${(major - FIRST_PTS_MAJOR) * 256 + minor}`;
}
