import { lazy, Suspense } from "react";
import { Region } from "../../shared/components/error-boundary.tsx";
import type { DiffController } from "../diff/controller.ts";
import { useReferences } from "../state/references.ts";

const ReferencesDialog = lazy(() =>
  import("./references-dialog.tsx").then((module) => ({ default: module.ReferencesDialog })),
);

/** Renders where a name is declared and used. Loaded with the first name. */
export function ReferencesHost({ controller }: { readonly controller: DiffController }) {
  const name = useReferences((state) => state.name);
  if (name === undefined) return null;
  return (
    <Region name="The references">
      <Suspense fallback={null}>
        <ReferencesDialog key={name} controller={controller} name={name} />
      </Suspense>
    </Region>
  );
}
