import type { DiffOption } from "../api-types.ts";
import type { OtherRepository } from "./find-vcs.ts";

/** The command lines of a program. None of them changes files; jj records a snapshot of the working copy. */
export interface Commands {
  readonly program: string;
  readonly title: string;
  readonly options: readonly DiffOption[];
  /** Arguments by the diff types of `options`. */
  readonly diffs: ReadonlyMap<string, readonly string[]>;
  diffOfCommit(name: string): readonly string[];
  /** Prints a file of one side of a diff type. */
  file?(path: string, diffType: string, side: "old" | "new"): readonly string[];
  /** Prints four fields for each commit, oldest first, each followed by NUL: name, author, date, message. */
  readonly log: readonly string[];
  /** Prints the paths of untracked files, which the diff leaves out, each followed by NUL. */
  readonly untracked?: readonly string[];
}

/**
 * Options that fix the output format and disable the programs that a repository's configuration can make jj run: to
 * sign the snapshot of the working copy, or to watch its files. https://docs.jj-vcs.dev/latest/config/
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
const JJ_TRUNK = "fork_point(trunk() | @)";
const JJ_DIFF = [...JJ_OPTIONS, "diff", "--git", "--context=3"] as const;
/** Revisions of both sides by diff type. */
const JJ_SIDES: ReadonlyMap<string, { readonly old: string; readonly new: string }> = new Map([
  ["uncommitted", { old: "@-", new: "@" }],
  ["last-commit", { old: "@--", new: "@-" }],
  ["branch", { old: JJ_TRUNK, new: "@" }],
]);
const JJ_COMMIT =
  'commit_id ++ "\\0" ++ author.name() ++ "\\0" ++ author.timestamp().utc().format("%Y-%m-%dT%H:%M:%SZ") ++ "\\0" ++ description ++ "\\0"';

/** Options that reset the settings with which a repository can hide changes in `sl diff` or change its format. */
const SL_SHOW_ALL = [
  "ignorews",
  "ignorewsamount",
  "ignorewseol",
  "ignoreblanklines",
  "nobinary",
  "noprefix",
].map((name) => `--config=diff.${name}=false`);
const SL_DIFF = [...SL_SHOW_ALL, "diff", "--git", "--unified=3", "--noninteractive"] as const;

/** The commands of jj and of Sapling. */
export const COMMANDS: Readonly<Record<OtherRepository["kind"], Commands>> = {
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
      ["branch", [...JJ_DIFF, `--from=${JJ_TRUNK}`, "--to=@"]],
    ]),
    diffOfCommit: (name) => [...JJ_DIFF, `--revision=${name}`],
    file(path, diffType, side) {
      const name = diffType.replace(/^commit:/, "");
      const { [side]: revision } = JJ_SIDES.get(diffType) ?? { old: `${name}-`, new: name };
      const quoted = path.replace(/["\\]/g, "\\$&");
      // The diff has taken a snapshot of the working copy.
      const call = [...JJ_OPTIONS, "--ignore-working-copy", "file", "show"];
      return [...call, `--revision=${revision}`, `root-file:"${quoted}"`];
    },
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
