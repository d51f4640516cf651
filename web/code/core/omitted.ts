import { withDeceptionsShown } from "../../../src/render/markdown/deceptive.ts";
import type { DiffFile, OmittedFiles, OmittedPaths } from "../../../src/review/api-types.ts";

export interface OmittedLine extends OmittedPaths {
  readonly text: string;
}

/** Returns one text for each reason why files are not shown, the most surprising reasons first. */
export function describeOmitted(omitted: OmittedFiles): readonly OmittedLine[] {
  const { elsewhere, nested, onlyStaged, unknown, notCheckedOut, ignored } = omitted;
  const all = [
    elsewhere && {
      ...elsewhere,
      text: "The repository's core.worktree names another folder: the folder where this review was started is not shown.",
    },
    nested && {
      ...nested,
      text: `${files(nested.count, "uncommitted file")} in submodules or nested repositories ${are(nested.count)} not shown.`,
    },
    onlyStaged && {
      ...onlyStaged,
      text: `${files(onlyStaged.count, "staged change")} that ${are(onlyStaged.count)} not in the working tree ${are(onlyStaged.count)} not shown here. Select Staged changes to review ${onlyStaged.count === 1 ? "it" : "them"}.`,
    },
    unknown && {
      ...unknown,
      text: `${files(unknown.count, "path")} could not be read completely and may contain changes that are not shown.`,
    },
    notCheckedOut && {
      ...notCheckedOut,
      text: `${files(notCheckedOut.count, "file")} outside the sparse checkout ${are(notCheckedOut.count)} not shown.`,
    },
    ignored && {
      ...ignored,
      text: `${files(ignored.count, "ignored file")} ${are(ignored.count)} not shown${
        ignored.paths.some((path) => path.endsWith("/")) ? " (a folder counts as one)" : ""
      }.`,
    },
  ];
  return all.flatMap((each) => each ?? []);
}

function files(count: number, name: string): string {
  return `${count} ${name}${count === 1 ? "" : "s"}`;
}

function are(count: number): string {
  return count === 1 ? "is" : "are";
}

/** The mode of a submodule. */
const SUBMODULE = "160000";

/** Describes the change to a file whose patch has no lines. */
export function describeChange(file: DiffFile): string {
  const modes = file.oldMode && file.newMode && file.oldMode !== file.newMode;
  const change = modes ? ` Its mode changed from ${file.oldMode} to ${file.newMode}.` : "";
  const before = withDeceptionsShown(file.oldPath ?? "");
  if (file.newMode === SUBMODULE || file.oldMode === SUBMODULE)
    return file.status === "added" || file.status === "deleted"
      ? `A submodule was ${file.status}.`
      : `A submodule, now at another commit.${change}`;
  if (file.binary) return `A binary file was ${verb(file)}.${change}`;
  if (file.status === "renamed") return `Renamed from ${before}, without a change to its text.${change}`;
  if (file.status === "copied") return `Copied from ${before}, without a change to its text.${change}`;
  if (file.status === "added") return "An empty file was added.";
  if (file.status === "deleted") return "An empty file was deleted.";
  return change.trim() || "Only whitespace changed (hidden).";
}

function verb(file: DiffFile): string {
  return (
    {
      added: "added",
      deleted: "deleted",
      renamed: `renamed from ${withDeceptionsShown(file.oldPath ?? "")}`,
    }[file.status as string] ?? "changed"
  );
}
