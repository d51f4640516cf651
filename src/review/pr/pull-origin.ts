import { setMaxListeners } from "node:events";
import { AppError } from "../../errors.ts";
import type { ReviewedCommit } from "../api-types.ts";
import { repositoryName } from "../forges/address.ts";
import type { Forge, PullRequest } from "../forges/forge.ts";
import { resolveCommit } from "../git/refs.ts";
import type { Repository } from "../git/repository.ts";
import { tryGit } from "../git/run-git.ts";
import type { SnapshotFile } from "../git/snapshot.ts";
import { sniffImage } from "../images/sniff-image.ts";
import { isBlob } from "../patch/hash-blob.ts";
import type { PatchOrigin } from "../patch/patch-session.ts";
import { readPatchSeries } from "../patch/read-patch-series.ts";

/** The diff type of the whole pull request. One commit has the diff type `commit:<sha>`. */
export const WHOLE_PULL = "pull-request";

/** Milliseconds between two checks for new commits at the forge. */
const PROBE_PAUSE_MS = 60_000;
/** Maximum bytes of the files that are kept for further reads. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024;

export interface PullOriginOptions {
  readonly forge: Forge;
  /** The pull request at the time when the review was opened. */
  readonly opened: PullRequest;
  /** The clone in which the command was started. Files of its commits are read from it. */
  readonly clone: Repository | undefined;
  /** Called with the pull request when its diff, which was read again, has become the current one. */
  readonly onPull: (pull: PullRequest) => void;
}

/** Creates the origin of a pull request's diff: patches from the forge's API, and files from the clone or the API. */
export function createPullOrigin({ forge, opened, clone, onPull }: PullOriginOptions): PatchOrigin {
  const { address } = forge;
  /** The pull request whose diff is the current one. */
  let pull = opened;
  let isFirst = true;
  let probed = { at: performance.now(), sha: opened.head.sha };
  /** The commits that the last diffs compare, newest first. */
  let compared: readonly Compared[] = [];
  const readFile = createFileReader(forge, clone);
  /** Reads a side from the commit that contains the file's object, because the page can show an earlier diff. */
  const readSide = async (file: SnapshotFile, side: "old" | "new") => {
    const path = side === "old" ? (file.oldPath ?? file.path) : file.path;
    const blob = side === "old" ? file.oldBlob : file.newBlob;
    let first: Buffer | undefined;
    for (const commits of compared) {
      const bytes = await readFile(path, commits[side]);
      if (bytes && (compared.length === 1 || (blob !== undefined && isBlob(bytes, blob)))) return bytes;
      first ??= bytes;
    }
    return first;
  };
  const readPull = async () => {
    const now = await forge.open();
    probed = { at: performance.now(), sha: now.head.sha };
    return now;
  };
  return {
    source: "pr",
    repository: {
      name: repositoryName(address),
      root: opened.url,
      branch: `${address.forge} ${address.number}`,
    },
    paths: [],
    async take(diffType = WHOLE_PULL, signal) {
      setMaxListeners(0, signal);
      const now = !isFirst && diffType === WHOLE_PULL ? await readPull() : pull;
      isFirst = false;
      const [, sha] = /^commit:([0-9a-f]{7,64})$/.exec(diffType) ?? [];
      if (diffType !== WHOLE_PULL && sha === undefined)
        throw new AppError("validation", `Unknown diffType ${JSON.stringify(diffType.slice(0, 200))}`);
      const [patch, commits] = await Promise.all([
        sha === undefined ? forge.patch(now) : forge.commitPatch(sha),
        forge.commits(now),
      ]);
      const latest = { new: sha ?? now.head.sha, old: sha === undefined ? now.base.sha : `${sha}^` };
      compared = [latest, ...compared.filter((each) => each.new !== latest.new)].slice(0, MAX_COMPARED);
      return {
        diffType,
        onCurrent() {
          if (now === pull) return;
          pull = now;
          onPull(now);
        },
        gitRef:
          sha === undefined
            ? `${now.base.ref}...${now.head.ref}`
            : `${sha.slice(0, 7)}~1..${sha.slice(0, 7)}`,
        gitContext: {
          currentBranch: now.head.ref,
          defaultBranch: now.base.ref,
          diffOptions: [{ id: WHOLE_PULL, label: `Pull request #${now.number}` }],
          moreDiffOptions: commits.toReversed().map(toOption),
        },
        commits,
        patches:
          patch.length === 0
            ? []
            : readPatchSeries(patch, "The diff of the forge").flatMap(({ files }) => files),
      };
    },
    async probe() {
      if (performance.now() - probed.at >= PROBE_PAUSE_MS) {
        probed = { ...probed, at: performance.now() };
        // An unreachable forge is not a change of the diff.
        const now = await forge.open().catch(() => undefined);
        if (now) probed = { ...probed, sha: now.head.sha };
      }
      return probed.sha;
    },
    completable: async (files) => new Set(files.map(({ path }) => path)),
    async text(file) {
      const text = await readSide(file, "new");
      return text && { side: "new", text };
    },
    async image(file, side) {
      const bytes = await readSide(file, side);
      const type = bytes && sniffImage(bytes);
      return bytes && type ? { type, bytes } : undefined;
    },
  };
}

interface Compared {
  readonly old: string;
  readonly new: string;
}

const MAX_COMPARED = 4;

function toOption({ sha, title }: ReviewedCommit) {
  return { id: `commit:${sha}`, label: `${sha.slice(0, 7)} ${title}`.slice(0, 100) };
}

type FileReader = (path: string, sha: string) => Promise<Buffer | undefined>;

/**
 * Returns a function that reads a file of a commit from the clone if it has the commit, or otherwise from the forge.
 * Keeps the files until they exceed `MAX_KEPT_BYTES` in total.
 */
function createFileReader(forge: Forge, clone: Repository | undefined): FileReader {
  const kept = new Map<string, Promise<Buffer | undefined>>();
  const inClone = new Map<string, Promise<boolean>>();
  let bytes = 0;
  const hasCommit = (repository: Repository, sha: string) => {
    const known =
      inClone.get(sha) ??
      repository
        .git()
        .then((git) => resolveCommit(git, sha))
        .then((found) => found !== undefined)
        .catch(() => false);
    inClone.set(sha, known);
    return known;
  };
  const read: FileReader = async (path, sha) => {
    if (clone && (await hasCommit(clone, sha))) {
      const result = await tryGit(await clone.git(), ["cat-file", "blob", `${sha}:${path}`]);
      return result.exitCode === 0 ? result.stdout : undefined;
    }
    return forge.file(path, sha);
  };
  return (path, sha) => {
    const key = `${sha}\0${path}`;
    const known = kept.get(key);
    if (known) return known;
    const reading = read(path, sha);
    kept.set(key, reading);
    reading.then(
      (content) => {
        bytes += content?.length ?? 0;
        if (bytes <= MAX_KEPT_BYTES) return;
        kept.clear();
        bytes = 0;
      },
      () => kept.delete(key),
    );
    return reading;
  };
}
