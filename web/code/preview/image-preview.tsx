import type { DiffFile } from "../../../src/review/api-types.ts";
import { useSession } from "../state/session.ts";
import { ImageComparison } from "./image-comparison.tsx";

/** Renders a changed image before and after the change. */
export function ImagePreview({ file: { path, status } }: { readonly file: DiffFile }) {
  const diffId = useSession(({ index }) => index?.diffId ?? "");
  // The diff id makes the browser load the image again when the diff is refreshed.
  const url = (side: "old" | "new") => `/api/diff/image?${new URLSearchParams({ path, side, diff: diffId })}`;
  const sources = {
    old: status === "added" ? undefined : url("old"),
    new: status === "deleted" ? undefined : url("new"),
  };
  return <ImageComparison key={diffId} name={path} sources={sources} />;
}
