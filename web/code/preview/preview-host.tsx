import { lazy, Suspense } from "react";
import { Region } from "../../shared/components/error-boundary.tsx";
import { usePreview } from "./preview-store.ts";

const PreviewDialog = lazy(() =>
  import("./preview-dialog.tsx").then((module) => ({ default: module.PreviewDialog })),
);

/** Renders the preview that is open. Loaded with the first one. */
export function PreviewHost() {
  const file = usePreview((state) => state.file);
  if (!file) return null;
  return (
    <Region name="The preview">
      <Suspense fallback={null}>
        <PreviewDialog file={file} />
      </Suspense>
    </Region>
  );
}
