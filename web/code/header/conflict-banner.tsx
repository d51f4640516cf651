import { withDeceptionsShown } from "../../../src/render/markdown/deceptive.ts";
import type { DiffFile } from "../../../src/review/api-types.ts";
import { useSession } from "../state/session.ts";

const MAX_NAMES = 5;

/** Renders a notice about conflicts that jj has stored in a commit, in the reviewed version or in the one before it. */
export function ConflictBanner() {
  const files = useSession((session) => session.files);
  const found = files.filter(({ conflict }) => conflict === "new" || conflict === "both");
  const stored = files.find(({ path }) => path === "JJ-CONFLICT-README");
  if (found.length === 0 && !stored) return null;
  return (
    <div className="banner banner-warning" role="status">
      <span>{stored ? describeStored(stored) : <Found files={found} />}</span>
    </div>
  );
}

function Found({ files }: { readonly files: readonly DiffFile[] }) {
  const more = files.length - MAX_NAMES;
  return (
    <>
      {files.length === 1 ? "1 file has" : `${files.length} files have`} unresolved conflicts. jj shows both
      sides between conflict markers:{" "}
      {files.slice(0, MAX_NAMES).map(({ path }, index) => (
        <span key={path}>
          {index > 0 && ", "}
          <code>{withDeceptionsShown(path)}</code>
        </span>
      ))}
      {more > 0 && ` and ${more} more`}
    </>
  );
}

function describeStored({ status }: DiffFile): string {
  const version = status === "deleted" ? "The version before this change" : "This version";
  return (
    `${version} has unresolved conflicts that jj has stored in a commit. Git shows only the first side of each ` +
    "conflict, and the inputs of the conflicts as .jjconflict folders, which are folded here. jj diff shows the conflicts."
  );
}
