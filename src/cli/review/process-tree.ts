import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { promisify } from "node:util";

/** A process as the system lists it. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  /** The controlling terminal, such as `pts/3` or `ttys003`; undefined without one. */
  readonly terminal: string | undefined;
  /** The start time, which distinguishes the process from a later one with the same id. */
  readonly started: string;
}

/** Returns a process by its id; undefined if it has ended. */
export type ProcessTable = (pid: number) => ProcessEntry | undefined;

const MAX_ANCESTORS = 16;
/** Device numbers of pseudoterminals: majors 136 to 143. */
const FIRST_PTS_MAJOR = 136;
const LAST_PTS_MAJOR = 143;

/**
 * Returns the processes of the machine: from /proc on Linux, from ps(1) on macOS and the BSDs. Resolves to
 * undefined where processes cannot be listed, as on Windows.
 */
export async function listProcesses(
  platform: NodeJS.Platform = process.platform,
): Promise<ProcessTable | undefined> {
  if (platform === "win32") return undefined;
  if (platform === "linux") return existsSync("/proc/self/stat") ? readProcessEntry : undefined;
  try {
    const { stdout } = await promisify(execFile)("ps", PS_ARGUMENTS, { env: { LC_ALL: "C" } });
    const entries = parsePs(stdout);
    return (pid) => entries.get(pid);
  } catch {
    return undefined;
  }
}

/** Arguments with which ps(1) prints the id, parent, terminal, state and start of each process, in macOS's keywords. */
export const PS_ARGUMENTS = ["-A", "-o", "pid=,ppid=,tty=,stat=,lstart="];

const PS_LINE = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(\S+)\s+(.+?)\s*$/;

/** Parses the output of ps(1). Leaves out zombies, which have ended. */
export function parsePs(text: string): ReadonlyMap<number, ProcessEntry> {
  const entries = new Map<number, ProcessEntry>();
  for (const line of text.split("\n")) {
    const [, pid, parent, tty = "", state, started = ""] = PS_LINE.exec(line) ?? [];
    if (pid === undefined || state?.startsWith("Z")) continue;
    // Without a terminal, ps prints "??" on macOS, "-" on the BSDs and "?" on Linux.
    const terminal = /^[?-]+$/.test(tty) ? undefined : tty;
    entries.set(Number(pid), { pid: Number(pid), parent: Number(parent), terminal, started });
  }
  return entries;
}

/** Reads /proc/PID/stat (proc_pid_stat(5)). */
function readProcessEntry(pid: number): ProcessEntry | undefined {
  try {
    return parseStat(pid, readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return undefined;
  }
}

/** Parses /proc/PID/stat. Returns undefined for a process that has ended, a zombie included. */
export function parseStat(pid: number, text: string): ProcessEntry | undefined {
  // The command's name, in parentheses, may contain spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state, parent = "0", , , terminal = "0"] = fields;
  if (state === "Z" || state === "X") return undefined;
  return {
    pid,
    parent: Number(parent),
    terminal: terminalName(Number(terminal)),
    started: fields[19] ?? "",
  };
}

function terminalName(device: number): string | undefined {
  if (device === 0) return undefined;
  const major = (device >> 8) & 0xfff;
  const minor = (device & 0xff) | ((device >> 12) & 0xfff00);
  if (major < FIRST_PTS_MAJOR || major > LAST_PTS_MAJOR) return `${major}:${minor}`;
  return `pts/${(major - FIRST_PTS_MAJOR) * 256 + minor}`;
}

/** A watched process. */
export interface Ancestor extends ProcessEntry {
  /** The file `/dev/pts/N` of its terminal; undefined if there is none, as on macOS and in some containers. */
  readonly device: string | undefined;
}

/** Returns a process and its ancestors, nearest first, without process 1; at most 16 processes. */
export function ancestorsFrom(pid: number, processes: ProcessTable): Ancestor[] {
  const found: Ancestor[] = [];
  for (let at = pid; at > 1 && found.length < MAX_ANCESTORS; ) {
    const entry = processes(at);
    if (!entry) break;
    found.push({ ...entry, device: terminalDevice(entry) });
    at = entry.parent;
  }
  return found;
}

function terminalDevice({ terminal }: ProcessEntry): string | undefined {
  if (!terminal?.startsWith("pts/")) return undefined;
  const path = `/dev/${terminal}`;
  return existsSync(path) ? path : undefined;
}

const UNIX_ROW = /^\S+ \S+ \S+ \S+ \S+ (\d\d) +(\d+) (\S+)$/;
const LISTENING = "01";
const CONNECTED = "03";

/**
 * Returns the number of clients of a process that listens on a UNIX socket, as an agent's background server does
 * (proc_pid_net(5)). Returns undefined for other processes, and on systems without /proc.
 */
export function countClients(pid: number): number | undefined {
  try {
    const own = new Set(readdirSync(`/proc/${pid}/fd`).map((fd) => readLink(`/proc/${pid}/fd/${fd}`)));
    const rows = readFileSync("/proc/net/unix", "utf8")
      .split("\n")
      .flatMap((line) => {
        const [, state, inode, path = ""] = UNIX_ROW.exec(line.trim()) ?? [];
        return own.has(`socket:[${inode}]`) ? [{ state, path }] : [];
      });
    const paths = new Set(rows.flatMap(({ state, path }) => (state === LISTENING ? [path] : [])));
    if (paths.size === 0) return undefined;
    return rows.filter(({ state, path }) => state === CONNECTED && paths.has(path)).length;
  } catch {
    return undefined;
  }
}

/** Returns the target of a link; empty for a descriptor that is no longer open. */
function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

/** Returns whether a process has ended since it was listed. */
export function hasEnded({ pid, started }: ProcessEntry, processes: ProcessTable): boolean {
  return processes(pid)?.started !== started;
}

/** Returns whether a process has lost its terminal, as when its window is closed. */
export function hasLostTerminal({ pid, terminal, device }: Ancestor, processes: ProcessTable): boolean {
  if (terminal === undefined) return false;
  const now = processes(pid);
  if (now !== undefined && now.terminal === undefined) return true;
  return device !== undefined && !existsSync(device);
}
