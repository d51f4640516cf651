import { useCallback, useMemo } from "react";
import type { Shortcut } from "../../shared/keyboard/shortcuts.ts";
import { Palette } from "../../shared/palette/palette.tsx";
import { reviewEntries } from "../../shared/palette/palette-entries.ts";
import { useThreads } from "../../shared/threads/thread-store.ts";
import { openDialog } from "../state/actions.ts";
import { useReview } from "../state/review-store.ts";
import { commentEntries, headingEntries, planActions, planGroups } from "./plan-palette-entries.ts";

/** Renders the palette of the plan's commands, headings and comments. */
export function PlanPalette({ shortcuts }: { readonly shortcuts: readonly Shortcut[] }) {
  const plan = useReview((state) => state.plan);
  const document = useReview((state) => state.document);
  const annotations = useReview((state) => state.annotations);
  const { threads, reviews } = useThreads();
  const content = useMemo(
    () => ({
      ...planActions(shortcuts, plan),
      headings: headingEntries(document),
      comments: commentEntries(document, annotations, threads),
      reviews: reviewEntries(reviews),
    }),
    [shortcuts, plan, document, annotations, threads, reviews],
  );
  const find = useCallback((text: string) => planGroups(text, content), [content]);
  return (
    <Palette
      title="Commands and contents"
      fieldLabel="Command, heading or comment"
      placeholder="Command, heading or comment"
      emptyText="No matching entries."
      find={find}
      onClose={() => openDialog(undefined)}
    />
  );
}
