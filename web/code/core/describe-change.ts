import { withDeceptionsShown } from "../../../src/render/markdown/deceptive.ts";
import type { DiffFile } from "../../../src/review/api-types.ts";

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
