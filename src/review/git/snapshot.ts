import { createHash } from "node:crypto";
import type { DiffFile, OmittedFiles } from "../api-types.ts";
import { attributesOf } from "./attributes.ts";
import { type DiffView, diffArguments } from "./diff-arguments.ts";
import type { DiffPlan } from "./diff-types.ts";
import { isGeneratedName } from "./generated-names.ts";
import { findOmitted } from "./omitted-files.ts";
import { createPatchSplitter, type PatchSection } from "./patch-splitter.ts";
import type { Repository } from "./repository.ts";
import { type GitPlace, runGit } from "./run-git.ts";
import { readSectionHeader, type SectionHeader } from "./section-header.ts";
import { Spool } from "./spool.ts";
import { additionWithoutContent, streamAdditions, type Untracked } from "./untracked.ts";
import { verifyComparison } from "./verify-objects.ts";
import { type WorkTree, withTreeOf } from "./work-tree.ts";
import { within } from "./work-tree-status.ts";

/** A diff as it was at one moment: its files, and its text on disk. */
export interface Snapshot {
  readonly plan: DiffPlan;
  readonly files: readonly SnapshotFile[];
  /** Hash of all files' names, modes and contents. */
  readonly diffId: string;
  readonly spool: Spool;
  /** What the diff does not show; absent where that is nothing. */
  readonly omitted?: OmittedFiles;
}

export interface SnapshotFile extends DiffFile {
  /** Where its patch lies on disk. */
  readonly section: PatchSection;
  /** Object names of both sides, all zeros for a side that is not there; absent when no content changed. */
  readonly oldBlob?: string;
  readonly newBlob?: string;
}

interface Part {
  readonly section: PatchSection;
  readonly header: SectionHeader;
  readonly untracked: boolean;
}

/** What the steps of taking one snapshot share. */
interface Taking {
  readonly repository: Repository;
  readonly git: GitPlace;
  readonly plan: DiffPlan;
  readonly view: DiffView;
  readonly spool: Spool;
  /** The working tree, where untracked files are shown as well. */
  readonly tree?: WorkTree;
}

type Take = (chunk: Buffer) => Promise<void>;

/** Takes a diff: git's patch goes to disk as it comes and is split on its way. */
export function takeSnapshot(
  repository: Repository,
  git: GitPlace,
  plan: DiffPlan,
  view: DiffView,
): Promise<Snapshot> {
  return withTreeOf(repository, git, plan, view, async (tree) => {
    const finding = tree && findOmitted(repository, tree, plan, view);
    finding?.catch(() => {});
    const snapshot = await snapshotIn(tree, repository, git, plan, view);
    const omitted = await finding?.catch(() => undefined);
    return omitted ? { ...snapshot, omitted } : snapshot;
  });
}

/** The same with a working tree that is ready, where the plan compares one; the view may be a part of that tree's. */
export async function snapshotIn(
  tree: WorkTree | undefined,
  repository: Repository,
  git: GitPlace,
  plan: DiffPlan,
  view: DiffView,
): Promise<Snapshot> {
  const spool = await Spool.create();
  const taking: Taking = { repository, git, plan, view, spool, ...(tree ? { tree } : {}) };
  try {
    const verifying = tree ? undefined : verifyComparison(git, plan, view, repository.objectFormat);
    verifying?.catch(() => {});
    const parts = await trackedParts(taking, view);
    // What git has read is not used before it is known to be what its name says.
    await verifying;
    if (!tree) return await describe(taking, parts);
    const apart = await untrackedParts(taking, view, within(tree.apart, view));
    const isLast = (part: Part) => part.untracked;
    return await describe(taking, [
      ...parts.filter((part) => !isLast(part)),
      ...parts.filter(isLast),
      ...apart,
    ]);
  } catch (error) {
    await spool.close();
    throw error;
  }
}

async function trackedParts(taking: Taking, view: DiffView): Promise<Part[]> {
  const { git, plan, spool, tree } = taking;
  const place = tree?.git ?? git;
  const files = await streamFiles(spool, (take) => runGit(place, diffArguments(plan, view), { take }));
  return files.map((file) => ({ ...file, untracked: isUntracked(file.header, tree) }));
}

function isUntracked({ status, path }: SectionHeader, tree: WorkTree | undefined): boolean {
  return status === "added" && tree !== undefined && tree.untracked.has(path);
}

async function untrackedParts(taking: Taking, view: DiffView, untracked: Untracked): Promise<Part[]> {
  const { repository, spool, tree } = taking;
  const files = await streamFiles(spool, async (take) => {
    await streamAdditions(repository, tree?.git ?? taking.git, untracked.paths, view, take);
    for (const path of untracked.large) await take(additionWithoutContent(path));
  });
  return files.map((file) => ({ ...file, untracked: true }));
}

/** Appends to the spool what `produce` streams, and returns the files in it. */
async function streamFiles(spool: Spool, produce: (take: Take) => Promise<unknown>) {
  const splitter = createPatchSplitter();
  const start = spool.length;
  await produce(async (chunk) => {
    splitter.write(chunk);
    await spool.append(chunk);
  });
  await spool.flush();
  return splitter
    .end()
    .map((section) => ({ ...section, offset: start + section.offset }))
    .filter(({ header }) => header.subarray(0, 11).toString() === "diff --git ")
    .map((section) => ({ section, header: readSectionHeader(section.header.toString()) }));
}

async function describe(taking: Taking, parts: readonly Part[]): Promise<Snapshot> {
  const attributes = await attributesOf(
    taking.git,
    parts.map(({ header }) => header.path),
  );
  // Without an object name it was too large to be looked at.
  const decreed = parts.filter(
    ({ header }, index) => header.binary && header.newBlob !== undefined && attributes[index]?.diffDecreed,
  );
  const unveiled = await unveil(taking, decreed);
  const hash = createHash("sha256");
  const files = parts.map((original, index): SnapshotFile => {
    const part = unveiled.get(original) ?? original;
    hash.update(part.section.header).update(part.section.fingerprint);
    const generated = attributes[index]?.generated ?? isGeneratedName(part.header.path);
    return { ...snapshotFile(part, index), generated, status: statusAmong(parts, index) };
  });
  return { plan: taking.plan, files, diffId: hash.digest("hex").slice(0, 32), spool: taking.spool };
}

function snapshotFile({ section, header }: Part, index: number) {
  const { additions, deletions, fingerprint, length } = section;
  return { index, ...header, additions, deletions, patchSize: length, fingerprint, section };
}

/**
 * Git tells of a file that became a link, or the other way round, as of one removed and one added. One that is no longer
 * tracked is told of so as well, and is just that.
 */
function statusAmong(parts: readonly Part[], index: number): DiffFile["status"] {
  const { header, untracked } = parts[index] ?? {};
  const isPair = (other: Part | undefined, status: DiffFile["status"]) =>
    other?.header.path === header?.path && other?.header.status === status && !other?.untracked;
  if (header?.status === "deleted" && isPair(parts[index + 1], "added")) return "type-changed";
  if (header?.status === "added" && !untracked && isPair(parts[index - 1], "deleted")) return "type-changed";
  return header?.status ?? "modified";
}

/**
 * A repository can call any file binary, and so keep its changes from being seen. Such files are compared again as
 * text, and shown so unless they hold NUL bytes, which is git's own test.
 */
async function unveil(taking: Taking, parts: readonly Part[]): Promise<Map<Part, Part>> {
  const result = new Map<Part, Part>();
  for (const part of parts) {
    const { path, oldPath = path } = part.header;
    const view = { ...taking.view, asText: true, paths: [oldPath, path] };
    const isApart = taking.tree?.apart.paths.some((each) => each.toString() === path) && part.untracked;
    const [text, ...others] = isApart
      ? await untrackedParts(taking, view, { paths: [Buffer.from(path)], large: [] })
      : await trackedParts(taking, view);
    if (text && others.length === 0 && !(await holdsNul(taking.spool, text.section))) result.set(part, text);
  }
  return result;
}

async function holdsNul(spool: Spool, { offset, length }: PatchSection): Promise<boolean> {
  for await (const piece of spool.read(offset, length)) if (piece.includes(0)) return true;
  return false;
}
