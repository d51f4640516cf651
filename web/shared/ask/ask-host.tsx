import { lazy, Suspense } from "react";
import { Region } from "../components/error-boundary.tsx";
import { useAsk } from "./ask-store.ts";

const AskDialog = lazy(() => import("./ask-dialog.tsx").then((module) => ({ default: module.AskDialog })));

/** Renders the open conversation with a model. Loaded with the first one. */
export function AskHost() {
  const about = useAsk((state) => state.about);
  if (!about) return null;
  return (
    <Region name="The conversation">
      <Suspense fallback={null}>
        <AskDialog about={about} />
      </Suspense>
    </Region>
  );
}
