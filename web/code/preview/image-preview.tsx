import type { DiffFile } from "../../../src/review/api-types.ts";
import { useSession } from "../state/session.ts";
import { ImageComparison } from "./image-comparison.tsx";

/** Renders a changed image before and after the change. The image at the time of earlier feedback is not stored. */
export function ImagePreview({ file: { path, status } }: { readonly file: DiffFile }) {
  const since = useSession((session) => session.since);
  const diffQuery = useSession((session) => session.diffQuery);
  // The diff id also makes the browser load the image again when the diff is refreshed.
  const url = (side: "old" | "new") => `/api/diff/image?${new URLSearchParams({ path, side })}&${diffQuery}`;
  const sources = {
    old: status === "added" || since !== undefined ? undefined : url("old"),
    new: status === "deleted" ? undefined : url("new"),
  };
  return (
    <>
      {since !== undefined && status !== "added" && (
        <p className="hint">The image at the time of your feedback is not stored.</p>
      )}
      <ImageComparison key={`${diffQuery} ${since}`} name={path} sources={sources} />
    </>
  );
}
