import { execFile } from "node:child_process";
import { readFile, realpath } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";
import { promisify } from "node:util";
import type { Environment } from "../../config/paths.ts";
import { AppError, getErrorMessage, systemErrorCode } from "../../errors.ts";
import { getReadReason } from "../../files/read-reason.ts";
import type { ReviewedCommit } from "../api-types.ts";
import { splitMessage } from "../git/commits.ts";
import { findProgram } from "../git/find-git.ts";
import { USER_VARIABLES } from "../git/hardening.ts";
import { quoteName } from "../git/quoted-name.ts";
import type { SnapshotFile } from "../git/snapshot.ts";
import { MAX_IMAGE_BYTES } from "../images/open-image.ts";
import { sniffImage } from "../images/sniff-image.ts";
import { isWithin } from "../is-within.ts";
import { readContent } from "./file-content.ts";
import { filePatch } from "./file-patch.ts";
import type { OtherRepository } from "./find-vcs.ts";
import { isBlob } from "./hash-blob.ts";
import type { PatchOrigin } from "./patch-session.ts";
import { type FilePatch, readPatchSeries } from "./read-patch-series.ts";
import { COMMANDS } from "./vcs-commands.ts";

/** Variables of the caller's environment that are passed on to jj and Sapling. */
const PASSED_ON = [...USER_VARIABLES, "XDG_CACHE_HOME", "XDG_DATA_HOME", "USER", "JJ_CONFIG"] as const;
const CALL_LIMIT_MS = 60_000;
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;

/**
 * Creates the origin of a repository of jj or Sapling, whose program makes the diff. Throws `vcs_missing` if the
 * program is not on the PATH, and `configuration` if the configuration of a Sapling repository can run programs or
 * cannot be read.
 */
export async function createVcsOrigin(
  { kind, root }: OtherRepository,
  paths: readonly string[],
  environment: Environment,
): Promise<PatchOrigin> {
  const commands = COMMANDS[kind];
  const found = findProgram(commands.program, root, environment);
  if (!found) {
    const message = `Cannot review ${root}, a repository of ${commands.title}: ${commands.program} is not on the PATH`;
    throw new AppError("vcs_missing", message, {
      hint: `Install ${commands.title}, then run the command again.`,
    });
  }
  // The configuration can change while the review is open.
  const checkConfiguration = () => (kind === "sapling" ? checkSaplingConfiguration(root) : undefined);
  await checkConfiguration();
  const passed = PASSED_ON.flatMap((name): [string, string][] => {
    const value = environment[name];
    return value === undefined ? [] : [[name, value]];
  });
  const env = { ...Object.fromEntries(passed), PATH: found.path, LC_ALL: "C.UTF-8", HGPLAIN: "1" };
  const run = (args: readonly string[], signal?: AbortSignal, limit?: number) =>
    runProgram(found.binary, args, { cwd: root, env, signal, limit });
  const commitsNow = async (signal: AbortSignal) => parseLog(await run(commands.log, signal).catch(() => ""));
  let latest = "uncommitted";
  /** Reads one side of a file from the working copy or the program; undefined if neither has the diff's content. */
  const readSide = async (file: SnapshotFile, side: "old" | "new", limit?: number) => {
    const path = side === "old" ? (file.oldPath ?? file.path) : file.path;
    const blob = side === "old" ? file.oldBlob : file.newBlob;
    const inCopy = side === "new" ? await readInside(root, path) : undefined;
    if (blob === undefined) return latest === "uncommitted" ? inCopy : undefined;
    if (inCopy && isBlob(inCopy, blob)) return inCopy;
    if (!commands.file) return undefined;
    const args = commands.file(path, latest, side);
    const bytes = Buffer.from(await run(args, undefined, limit).catch(() => ""), "latin1");
    return isBlob(bytes, blob) ? bytes : undefined;
  };
  return {
    source: kind,
    repository: { name: basename(root), root, branch: kind },
    paths,
    async take(diffType = "uncommitted", signal) {
      const [, name] = /^commit:([0-9a-f]{6,64})$/.exec(diffType) ?? [];
      const args =
        commands.diffs.get(diffType) ?? (name === undefined ? undefined : commands.diffOfCommit(name));
      if (!args)
        throw new AppError("validation", `Unknown diffType ${JSON.stringify(diffType.slice(0, 200))}`);
      await checkConfiguration();
      const [output, commits, untracked] = await Promise.all([
        run(args, signal),
        commitsNow(signal),
        diffType === "uncommitted" && commands.untracked ? run(commands.untracked, signal) : "",
      ]);
      latest = diffType;
      const parts = readPatchSeries(Buffer.from(output, "latin1"), `The output of ${commands.program} diff`);
      return {
        diffType,
        gitRef: `${commands.program} ${args.slice(args.indexOf("diff")).join(" ")}`,
        gitContext: {
          currentBranch: commands.title,
          defaultBranch: commands.title,
          diffOptions: commands.options,
          moreDiffOptions: commits
            .toReversed()
            .map(({ sha, title }) => ({ id: `commit:${sha}`, label: `${sha.slice(0, 7)} ${title}` })),
        },
        commits,
        patches: [...parts.flatMap(({ files }) => files), ...(await additions(root, untracked))],
      };
    },
    // A text of another commit is rejected later, because the patch does not fit it.
    completable: async (files) => new Set(files.map(({ path }) => path)),
    async text(file, limit) {
      const text = (await readSide(file, "new", limit)) ?? (await readInside(root, file.path));
      return text && { side: "new", text };
    },
    async image(file, side) {
      const bytes = await readSide(file, side);
      const type = bytes && bytes.length <= MAX_IMAGE_BYTES ? sniffImage(bytes) : undefined;
      return bytes && type ? { type, bytes } : undefined;
    },
  };
}

const run = promisify(execFile);

interface ProgramCall {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal | undefined;
  /** Maximum milliseconds. */
  readonly limit: number | undefined;
}

/** Returns the output of a call, one character for each byte. Throws `vcs_failed`. */
async function runProgram(
  binary: string,
  args: readonly string[],
  { cwd, env, signal, limit = CALL_LIMIT_MS }: ProgramCall,
): Promise<string> {
  try {
    const limits = { timeout: limit, maxBuffer: MAX_OUTPUT_BYTES, killSignal: "SIGKILL" as const };
    const running = run(binary, args, { cwd, env, encoding: "latin1", windowsHide: true, signal, ...limits });
    running.child.stdin?.end();
    return (await running).stdout;
  } catch (cause) {
    if (signal?.aborted) throw cause;
    const stderr = cause instanceof Error && "stderr" in cause ? String(cause.stderr) : "";
    const reason = stderr.trim().split("\n")[0] || getErrorMessage(cause);
    throw new AppError("vcs_failed", `${basename(binary)} failed: ${reason}`, {
      cause,
      hint: `Run ${basename(binary)} diff --git in the repository to check it.`,
    });
  }
}

function parseLog(output: string): ReviewedCommit[] {
  const fields = Buffer.from(output, "latin1").toString().split("\0");
  const commits: ReviewedCommit[] = [];
  for (let at = 0; at + 4 < fields.length; at += 4) {
    const [sha = "", author = "", date = "", message = ""] = fields.slice(at, at + 4);
    if (/^[0-9a-f]{6,64}$/.test(sha)) commits.push({ sha, author, at: date, ...splitMessage(message) });
  }
  return commits;
}

/** Returns patches that add untracked files, for a program whose diff leaves them out. */
async function additions(root: string, output: string): Promise<FilePatch[]> {
  const patches: FilePatch[] = [];
  for (const each of output.split("\0")) {
    const name = Buffer.from(each, "latin1");
    if (name.length === 0 || (await insideOf(root, dirname(name.toString()))) === undefined) continue;
    const content = await readContent(Buffer.concat([Buffer.from(root + sep), name]));
    const path = Buffer.from(name.toString()).equals(name) ? name.toString() : quoteName(name).slice(1, -1);
    const patch = content && filePatch(path, undefined, content);
    if (patch) patches.push(patch);
  }
  return patches;
}

/** Returns the real path of a file, or undefined if it is missing or outside of the repository. */
async function insideOf(root: string, path: string): Promise<string | undefined> {
  const found = await realpath(join(root, path)).catch(() => undefined);
  return found !== undefined && isWithin(await realpath(root), found) ? found : undefined;
}

/** Reads a file of the working copy. Returns undefined if it is missing, unreadable or outside of the repository. */
async function readInside(root: string, path: string): Promise<Buffer | undefined> {
  const content = await readContent(await insideOf(root, path)).catch(() => undefined);
  return content?.bytes;
}

/** Sections of a repository's configuration that cannot name a program. */
const HARMLESS_SECTIONS = new Set(["paths", "remotenames", "diff", "smartlog", "committemplate", "git"]);

/**
 * Throws `configuration` if the repository's configuration can make Sapling run programs, such as extensions and hooks,
 * or cannot be read. Sapling has no option to ignore that file.
 */
async function checkSaplingConfiguration(root: string): Promise<void> {
  const path = join(root, ".sl", "config");
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    if (systemErrorCode(error) === "ENOENT") return "";
    throw new AppError("configuration", `Cannot read ${path}: ${getReadReason(error)}`, {
      cause: error,
      hint: "Make it a readable file: it can make Sapling run programs, so it must be checked.",
    });
  });
  const sections = [...text.matchAll(/^\s*\[([^\]]*)\]/gm)].map(([, name = ""]) => name.trim());
  // Sapling itself writes `%include builtin:git.rc`.
  const odd = /^[ \t]*%(?!unset[ \t]|include[ \t]+builtin:)/m.test(text)
    ? "%include"
    : sections.find((name) => !HARMLESS_SECTIONS.has(name));
  if (odd === undefined) return;
  throw new AppError(
    "configuration",
    `Cannot review the repository: ${odd} in ${path} can make Sapling run programs`,
    {
      hint: "Move that setting to your own Sapling configuration if you trust it, then run the command again.",
    },
  );
}
