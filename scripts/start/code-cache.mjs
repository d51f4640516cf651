// Keeps V8's compiled form of the command's parts in the user's data directory. V8 checks a compiled form's
// version, flags and the length of its source, not its content: a form that another user wrote would run as
// the command. If anything fails here, the command runs without a cache.
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";

/**
 * Seconds that a command must run before its compiled code is stored: shorter runs use only a small part of
 * the code.
 */
const MIN_SECONDS = 1;
/**
 * The number of calls after which TurboFan compiles a function, by the major versions of Node.js in which
 * `limit-heap.ts` changes it. `--v8-options` prints another number, because Maglev's flag changes it at the start.
 */
const TURBOFAN_CALLS = { 24: 10_000, 26: 16_000 };
const turbofanCalls = TURBOFAN_CALLS[Number.parseInt(process.versions.node, 10)];
/** V8's defaults of the flags that `limit-heap.ts` and `sqlite/engine.ts` change in the running process. */
const DEFAULT_FLAGS = [
  "heap-growing-percent=0",
  "incremental-marking-soft-trigger=0",
  "semi-space-growth-factor=2",
  "wasm-tier-up",
  ...(turbofanCalls === undefined ? [] : ["maglev", `invocation-count-for-turbofan=${turbofanCalls}`]),
];
const MAX_UNUSED_MS = 30 * 24 * 60 * 60 * 1_000;

/**
 * Returns `cachedData` and `compiled` for the loader, and `save`. `dataDirectory` returns the user's data directory;
 * `hashes` has the hash of each part's text by name. Reads and stores nothing if the data directory is missing,
 * belongs to another user, or is writable by other users.
 */
export function openCodeCache({ dataDirectory, hashes, minSeconds = MIN_SECONDS }) {
  const scripts = new Map();
  const folders = attempt(() => foldersIn(dataDirectory()));
  const isReadable = folders?.every(isPrivateFolder) ?? false;
  const own = folders?.at(-1);
  const fileOf = (name) => `${own}/${name}-${hashes[name]}`;
  return {
    cachedData: (name) =>
      isReadable && hashes[name] ? attempt(() => readPrivateFile(fileOf(name))) : undefined,
    compiled: (name, script) => scripts.set(name, script),
    /**
     * Writes the code that was compiled in this run. Resets the flags, because V8 rejects compiled code that was stored
     * with other flags than those of the process that loads it.
     */
    save() {
      const missing = [...scripts].filter(
        ([name, script]) => hashes[name] && script.cachedDataRejected !== false,
      );
      if (folders === undefined || missing.length === 0 || process.uptime() < minSeconds) return;
      attempt(() => {
        if (!isPrivateFolder(folders[0])) return;
        for (const folder of folders.slice(1)) {
          attempt(() => mkdirSync(folder, { mode: 0o700 }));
          if (!isPrivateFolder(folder)) return;
        }
        for (const flag of DEFAULT_FLAGS) setFlagsFromString(`--${flag}`);
        for (const [name, script] of missing) writeWhole(fileOf(name), script.createCachedData());
        prune(own, new Set(Object.entries(hashes).map(([name, hash]) => `${name}-${hash}`)));
      });
    },
  };
}

/**
 * Returns all folders from the data directory down to the folder of this Node.js version, whose compiled code
 * no other version can use.
 */
function foldersIn(data) {
  const all = join(data, "code-cache");
  return [data, all, join(all, `node-${process.versions.node}-${process.platform}-${process.arch}`)];
}

function attempt(action) {
  try {
    return action();
  } catch {
    return undefined;
  }
}

function isPrivateFolder(path) {
  return attempt(() => isPrivate(lstatSync(path), "isDirectory")) ?? false;
}

function isPrivate(status, kind) {
  if (!status[kind]()) return false;
  return process.getuid === undefined || (status.uid === process.getuid() && (status.mode & 0o022) === 0);
}

function readPrivateFile(path) {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    const status = fstatSync(file);
    if (!isPrivate(status, "isFile")) return undefined;
    const content = Buffer.allocUnsafeSlow(status.size);
    return readSync(file, content, 0, status.size, 0) === status.size ? content : undefined;
  } finally {
    closeSync(file);
  }
}

/** Writes a temporary file and renames it, so that another process reads the whole file or no file. */
function writeWhole(path, content) {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, content, { mode: 0o600, flag: "wx" });
    renameSync(temporary, path);
  } catch (error) {
    attempt(() => rmSync(temporary, { force: true }));
    throw error;
  }
}

/** Removes files of other versions of the command that are older than 30 days. */
function prune(folder, current) {
  for (const name of readdirSync(folder)) {
    if (current.has(name)) continue;
    const path = join(folder, name);
    if (Date.now() - lstatSync(path).mtimeMs > MAX_UNUSED_MS) rmSync(path, { force: true });
  }
}
