import { execFile } from "node:child_process";
import { readFile, realpath } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";
import { promisify } from "node:util";
import type { Environment } from "../../config/paths.ts";
import { AppError, getErrorMessage, systemErrorCode } from "../../errors.ts";
import type { DiffOption, ReviewedCommit } from "../api-types.ts";
import { splitMessage } from "../git/commits.ts";
import { findProgram } from "../git/find-git.ts";
import { USER_VARIABLES } from "../git/hardening.ts";
import { quoteName } from "../git/quoted-name.ts";
import { openImage } from "../images/open-image.ts";
import { isWithin } from "../is-within.ts";
import { readContent } from "./file-content.ts";
import { filePatch } from "./file-patch.ts";
import type { OtherRepository } from "./find-vcs.ts";
import type { PatchOrigin } from "./patch-session.ts";
import { type FilePatch, readPatchSeries } from "./read-patch-series.ts";

/** The command lines of a program. None of them changes files; jj records a snapshot of the working copy. */
interface Commands {
  readonly program: string;
  readonly title: string;
  readonly options: readonly DiffOption[];
  /** Arguments by the diff types of `options`. */
  readonly diffs: ReadonlyMap<string, readonly string[]>;
  diffOfCommit(name: string): readonly string[];
  /** Prints four fields for each commit, oldest first, each followed by NUL: name, author, date, message. */
  readonly log: readonly string[];
  /** Prints the paths of untracked files, which the diff leaves out, each followed by NUL. */
  readonly untracked?: readonly string[];
}

/**
 * Options that disable the programs that a repository's configuration can make jj run: to sign the snapshot of the
 * working copy, or to watch its files. https://docs.jj-vcs.dev/latest/config/
 */
const JJ_OPTIONS = [
  "--no-pager",
  "--color=never",
  "--config=signing.behavior=drop",
  "--config=signing.sign-all=false",
  "--config=fsmonitor.backend=none",
  "--config=core.fsmonitor=none",
  "--config=diff.git.show-path-prefix=true",
] as const;
const JJ_DIFF = [...JJ_OPTIONS, "diff", "--git", "--context=3"] as const;
const JJ_COMMIT =
  'commit_id ++ "\\0" ++ author.name() ++ "\\0" ++ author.timestamp().utc().format("%Y-%m-%dT%H:%M:%SZ") ++ "\\0" ++ description ++ "\\0"';

/** Options that reset the settings with which a repository can hide changes from `sl diff`. */
const SL_SHOW_ALL = [
  "ignorews",
  "ignorewsamount",
  "ignorewseol",
  "ignoreblanklines",
  "nobinary",
  "noprefix",
].map((name) => `--config=diff.${name}=false`);
const SL_DIFF = [...SL_SHOW_ALL, "diff", "--git", "--unified=3", "--noninteractive"] as const;

const COMMANDS: Readonly<Record<OtherRepository["kind"], Commands>> = {
  jj: {
    program: "jj",
    title: "jj",
    options: [
      { id: "uncommitted", label: "Working copy (@)" },
      { id: "last-commit", label: "Parent (@-)" },
      { id: "branch", label: "Since trunk()" },
    ],
    diffs: new Map<string, readonly string[]>([
      ["uncommitted", JJ_DIFF],
      ["last-commit", [...JJ_DIFF, "--revision=@-"]],
      ["branch", [...JJ_DIFF, "--from=fork_point(trunk() | @)", "--to=@"]],
    ]),
    diffOfCommit: (name) => [...JJ_DIFF, `--revision=${name}`],
    log: [
      ...JJ_OPTIONS,
      "log",
      "--no-graph",
      "--reversed",
      "--revisions=trunk()..@",
      `--template=${JJ_COMMIT}`,
    ],
  },
  sapling: {
    program: "sl",
    title: "Sapling",
    options: [
      { id: "uncommitted", label: "Uncommitted changes" },
      { id: "last-commit", label: "Last commit" },
    ],
    diffs: new Map<string, readonly string[]>([
      ["uncommitted", SL_DIFF],
      ["last-commit", [...SL_DIFF, "--change=."]],
    ]),
    diffOfCommit: (name) => [...SL_DIFF, `--change=${name}`],
    log: [
      "log",
      "--noninteractive",
      "--rev=sort(draft() & ancestors(.), rev)",
      "--template={node}\\0{author|person}\\0{date|rfc3339date}\\0{desc}\\0",
    ],
    untracked: ["status", "--noninteractive", "--unknown", "--no-status", "--print0"],
  },
};

/** Environment variables that jj and Sapling receive. */
const PASSED_ON = [...USER_VARIABLES, "XDG_CACHE_HOME", "XDG_DATA_HOME", "USER", "JJ_CONFIG"] as const;
const CALL_LIMIT_MS = 60_000;
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;

/**
 * Creates the origin of a repository of jj or Sapling, whose program makes the diff. Throws `vcs_missing` if the program
 * is not on the PATH, `configuration` if the repository's configuration can run programs.
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
  const run = (args: readonly string[], signal?: AbortSignal) =>
    runProgram(
      found.binary,
      args,
      root,
      { ...Object.fromEntries(passed), PATH: found.path, LC_ALL: "C.UTF-8", HGPLAIN: "1" },
      signal,
    );
  const commitsNow = async (signal: AbortSignal) => parseLog(await run(commands.log, signal).catch(() => ""));
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
    // The file on disk may have changed since the commit, so it is used only if the patch fits.
    completable: async (files) => new Set(files.map(({ path }) => path)),
    async text({ path }) {
      const file = await insideOf(root, path);
      const text = file === undefined ? undefined : await readFile(file).catch(() => undefined);
      return text === undefined ? undefined : { side: "new", text };
    },
    async image({ path }, side) {
      const file = side === "new" ? await insideOf(root, path) : undefined;
      return file === undefined ? undefined : openImage(file);
    },
  };
}

const run = promisify(execFile);

/** Returns the output of a call, one character for each byte. Throws `vcs_failed`. */
async function runProgram(
  binary: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
  signal: AbortSignal | undefined,
): Promise<string> {
  try {
    const limits = { timeout: CALL_LIMIT_MS, maxBuffer: MAX_OUTPUT_BYTES, killSignal: "SIGKILL" as const };
    const running = run(binary, args, { cwd, env, encoding: "latin1", windowsHide: true, signal, ...limits });
    running.child.stdin?.end();
    return (await running).stdout;
  } catch (cause) {
    if (signal?.aborted) throw cause;
    const stderr = cause instanceof Error && "stderr" in cause ? String(cause.stderr) : "";
    const reason = stderr.trim().split("\n")[0] || getErrorMessage(cause);
    throw new AppError("vcs_failed", `${basename(binary)} failed: ${reason}`, {
      cause,
      hint: `Run ${basename(binary)} diff --git there to check the repository.`,
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

/** Returns the real path of a file, or undefined if it is outside of the repository. */
async function insideOf(root: string, path: string): Promise<string | undefined> {
  const found = await realpath(join(root, path)).catch(() => undefined);
  return found !== undefined && isWithin(await realpath(root), found) ? found : undefined;
}

/** Sections of a repository's configuration that cannot name a program. */
const HARMLESS_SECTIONS = new Set(["paths", "remotenames", "diff", "smartlog", "committemplate", "git"]);

/**
 * Throws `configuration` if the repository's configuration can make Sapling run programs, such as extensions and hooks.
 * Sapling has no option to ignore that file.
 */
async function checkSaplingConfiguration(root: string): Promise<void> {
  const path = join(root, ".sl", "config");
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    if (systemErrorCode(error) === "ENOENT") return "";
    throw new AppError("configuration", `Cannot read ${path}: ${systemErrorCode(error)}`, {
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
