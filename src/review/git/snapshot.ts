import { createHash } from "node:crypto";
import type { DiffFile, OmittedFiles } from "../api-types.ts";
import { type Attributes, isGeneratedName, readAttributes } from "./attributes.ts";
import { type DiffView, diffArguments } from "./diff-arguments.ts";
import type { DiffPlan } from "./diff-types.ts";
import { findOmitted } from "./omitted-files.ts";
import { createPatchSplitter, type PatchSection } from "./patch-splitter.ts";
import type { Repository } from "./repository.ts";
import { type GitHandle, runGit } from "./run-git.ts";
import { readSectionHeader, type SectionHeader } from "./section-header.ts";
import { Spool } from "./spool.ts";
import { additionWithoutContent, streamAdditions, type Untracked } from "./untracked.ts";
import { verifyComparison } from "./verify-objects.ts";
import { verifyChanged, type WorkTree, withTree } from "./work-tree.ts";
import { filterUntracked } from "./work-tree-status.ts";

/** A diff at one point in time: its files, and its text on disk. */
export interface Snapshot {
  /** The requested diff type, and the compared revisions for display. */
  readonly plan: Pick<DiffPlan, "diffType" | "gitRef">;
  readonly files: readonly SnapshotFile[];
  /** Hash of the patch headers (names, modes, objects) and the changed lines of all files. */
  readonly diffId: string;
  readonly spool: Spool;
  /** Files of the working tree or the index that the diff leaves out; absent if there are none. */
  readonly omitted?: OmittedFiles;
}

/** A diff that git made. */
export interface GitSnapshot extends Snapshot {
  readonly plan: DiffPlan;
}

export interface SnapshotFile extends DiffFile {
  /** Position of the file's patch on disk. */
  readonly section: PatchSection;
  /** Object names of both sides, all zeros for a missing side; absent as in `SectionHeader`. */
  readonly oldBlob?: string;
  readonly newBlob?: string;
}

interface Part {
  readonly section: PatchSection;
  readonly header: SectionHeader;
  readonly untracked: boolean;
}

/** The repository, plan and view of a diff to create. */
export interface Comparison {
  readonly repository: Repository;
  readonly git: GitHandle;
  readonly plan: DiffPlan;
  readonly view: DiffView;
  /** Called before old contents are verified: resolves when work that is more urgent has ended. */
  readonly whenFree?: () => Promise<unknown>;
}

/** Inputs of the steps that create one snapshot. */
interface Taking extends Comparison {
  readonly spool: Spool;
  /** The prepared working tree or index, if the diff compares one. */
  readonly tree: WorkTree | undefined;
}

type Take = (chunk: Buffer) => Promise<void>;

/** Creates a snapshot of a diff. The patch is written to disk and split into files as git produces it. */
export function takeSnapshot(compared: Comparison): Promise<GitSnapshot> {
  const { repository, git, plan, view } = compared;
  return withTree(repository, git, plan, view, async (tree) => {
    const taking = snapshotIn(tree, compared);
    const finding = tree && findOmitted(repository, tree, plan, view);
    finding?.catch(() => {});
    const snapshot = await taking;
    const omitted = await finding?.catch(() => undefined);
    return omitted ? { ...snapshot, omitted } : snapshot;
  });
}

/**
 * Creates a snapshot with the prepared working tree or index, if the plan compares one. `view` may select fewer paths
 * than the view that the tree was prepared for.
 */
export async function snapshotIn(tree: WorkTree | undefined, compared: Comparison): Promise<GitSnapshot> {
  const spool = await Spool.create();
  const { view } = compared;
  const taking: Taking = { ...compared, spool, tree };
  try {
    const comparing = trackedParts(taking, view);
    // Objects that git has read are used only after their content is verified against their names.
    const verifying = verify(taking);
    await Promise.allSettled([comparing, verifying]);
    await verifying;
    const parts = await comparing;
    if (!tree) return await describe(taking, parts);
    const apart = await untrackedParts(taking, view, filterUntracked(tree.apart, view));
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

async function verify({ repository, git, plan, view, tree, whenFree }: Taking): Promise<void> {
  await whenFree?.();
  if (tree) return verifyChanged(tree, view, repository.objectFormat);
  return verifyComparison(git, plan, view, repository.objectFormat);
}

async function trackedParts(taking: Taking, view: DiffView): Promise<Part[]> {
  const { git, plan, spool, tree } = taking;
  const source = tree?.git ?? git;
  const files = await streamFiles(spool, (take) => runGit(source, diffArguments(plan, view), { take }));
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

/** Appends the output of `produce` to the spool, and returns the files in it. */
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

async function describe(taking: Taking, parts: readonly Part[]): Promise<GitSnapshot> {
  const attributes = await attributesOf(
    taking,
    parts.map(({ header }) => header.path),
  );
  // A file without an object name is too large to be compared.
  const declaredBinary = parts.filter(
    ({ header }, index) =>
      header.binary && header.newBlob !== undefined && attributes[index]?.hasDiffAttribute,
  );
  const comparedAsText = await compareAsText(taking, declaredBinary);
  const hash = createHash("sha256");
  const files = parts.map((original, index): SnapshotFile => {
    const part = comparedAsText.get(original) ?? original;
    hash.update(part.section.header).update(part.section.fingerprint);
    const generated = attributes[index]?.generated ?? isGeneratedName(part.header.path);
    return { ...snapshotFile(part, index), generated, status: statusAmong(parts, index) };
  });
  return { plan: taking.plan, files, diffId: hash.digest("hex").slice(0, 32), spool: taking.spool };
}

/** Returns the attributes of paths in their order. Those of a working tree have already been read. */
async function attributesOf({ git, tree }: Taking, paths: readonly string[]): Promise<Attributes[]> {
  const known = await tree?.attributes;
  const found = paths.map((path) => known?.get(path));
  return found.every((each) => each !== undefined) ? found : readAttributes(git, paths);
}

function snapshotFile({ section, header }: Part, index: number) {
  const { additions, deletions, fingerprint, length } = section;
  return { index, ...header, additions, deletions, patchSize: length, fingerprint, section };
}

/**
 * Returns the status of a file. Git reports a change between file and link as a removal and an addition; the pair is
 * `type-changed`, unless the added file is untracked.
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
 * Compares as text the files that attributes declare binary, because a repository could hide changes with such
 * attributes. A file whose patch contains NUL, by which git itself recognizes binary files, stays binary. Returns the
 * new parts by the parts that they replace.
 */
async function compareAsText(taking: Taking, parts: readonly Part[]): Promise<Map<Part, Part>> {
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
