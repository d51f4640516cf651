import { useCallback, useMemo } from "react";
import { flushSync } from "react-dom";
import { withDeceptionsShown } from "../../../src/render/markdown/deceptive.ts";
import type { Heading, MarkdownDocument } from "../../../src/render/markdown/model.ts";
import type { PlanAnnotation, PlanState, Thread } from "../../../src/review/api-types.ts";
import type { Shortcut } from "../../shared/keyboard/shortcuts.ts";
import { Palette } from "../../shared/palette/palette.tsx";
import {
  filterEntries,
  type PaletteEntry,
  type PaletteGroup,
  reviewEntries,
  shortcutEntries,
} from "../../shared/palette/palette-entries.ts";
import { themeEntries } from "../../shared/palette/theme-entries.ts";
import { useThreads } from "../../shared/threads/thread-store.ts";
import { authorName, inReviewOrder, markdownSummary, threadSummary } from "../../shared/threads/threads.ts";
import { goToLine } from "../dom/reading-position.ts";
import { describePosition, inDocumentOrder, typeNames } from "../model/annotations.ts";
import { activate, openDialog, setCursor, setView, showInPlan } from "../state/actions.ts";
import { useReview } from "../state/review-store.ts";
import { showThread, threadAnchor } from "../state/threads.ts";
import { downloadPlan } from "./more-menu.tsx";

/** Renders the palette of the plan's commands, headings and comments, and of the other open reviews. */
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

/** The contents of the plan's palette. */
interface PlanPaletteContent {
  /** Commands that change or open something. */
  readonly actions: readonly PaletteEntry[];
  readonly headings: readonly PaletteEntry[];
  readonly comments: readonly PaletteEntry[];
  /** The other open reviews on this machine. */
  readonly reviews: readonly PaletteEntry[];
  /** Commands that move the cursor. */
  readonly moves: readonly PaletteEntry[];
}

/** Maximum number of entries of one group. */
const MAX_ENTRIES = 50;

/**
 * Returns the entries that contain every word of a text, ignoring case: actions first, and at most `MAX_ENTRIES` of
 * each group. Leaves out empty groups.
 */
function planGroups(text: string, content: PlanPaletteContent): readonly PaletteGroup[] {
  const groups = [
    { name: "Actions", entries: content.actions },
    { name: "Headings", entries: content.headings },
    { name: "Comments", entries: content.comments },
    { name: "Open reviews", entries: content.reviews },
    { name: "Move", entries: content.moves },
  ];
  return groups
    .map(({ name, entries }) => ({ name, entries: filterEntries(entries, text).slice(0, MAX_ENTRIES) }))
    .filter(({ entries }) => entries.length > 0);
}

/** Returns the commands of the page: the shortcuts, the More menu and the themes. */
function planActions(shortcuts: readonly Shortcut[], plan: PlanState | undefined) {
  const { actions, moves } = shortcutEntries(shortcuts);
  const keyless: PaletteEntry[] = [
    ...(plan?.sharingEnabled ? [{ label: "Share …", run: () => openDialog("share") }] : []),
    { label: "Import comments …", run: () => openDialog("import") },
    { label: "Save settings …", run: () => openDialog("save") },
    { label: "Download Markdown", run: downloadPlan },
    { label: "Print", run: () => print() },
    ...themeEntries(),
  ];
  return { actions: [...actions, ...keyless], moves };
}

function headingEntries(document: MarkdownDocument): readonly PaletteEntry[] {
  return document.headings.map((heading) => ({
    id: heading.id,
    label: withDeceptionsShown(heading.text),
    detail: `line ${lineOf(heading, document)}`,
    run: () => goToHeading(heading, document),
  }));
}

/** Returns the comments, in the order of the plan, and the open threads. */
function commentEntries(
  document: MarkdownDocument,
  annotations: readonly PlanAnnotation[],
  threads: readonly Thread[],
): readonly PaletteEntry[] {
  const open = inReviewOrder(threads).filter(({ state }) => state === "open");
  return [
    ...inDocumentOrder(annotations).map((annotation) => ({
      id: annotation.id,
      label: withDeceptionsShown(describeComment(annotation)),
      detail: [typeNames[annotation.type], annotation.anchor && describePosition(annotation.anchor)]
        .filter(Boolean)
        .join(", "),
      run: () => goToComment(annotation.id, annotation.anchor !== undefined, () => showInPlan(annotation)),
    })),
    ...open.map((thread) => ({
      id: thread.id,
      label: withDeceptionsShown(threadSummary(thread)),
      detail: withDeceptionsShown(describeThread(thread)),
      run: () =>
        goToComment(thread.id, threadAnchor(document, thread) !== undefined, () => showThread(thread)),
    })),
  ];
}

function describeThread({ messages: [first] }: Thread): string {
  return first ? `Thread by ${authorName(first.author)}` : "Thread";
}

function describeComment({ text, replacement = "", anchor, type }: PlanAnnotation): string {
  return markdownSummary(text) || markdownSummary(replacement || (anchor?.quote ?? "")) || typeNames[type];
}

function lineOf({ block }: Heading, { blocks }: MarkdownDocument): number {
  return blocks[block]?.startLine ?? 1;
}

/** Scrolls to a heading: in the source if that is shown, otherwise in the plan, where the cursor moves to it. */
function goToHeading(heading: Heading, plan: MarkdownDocument): void {
  const line = lineOf(heading, plan);
  if (useReview.getState().view === "source") {
    goToLine("source", line, plan);
    return;
  }
  flushSync(() => {
    setView("plan");
    setCursor(undefined);
  });
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
  flushSync(() => setCursor(heading.block));
  goToLine("plan", line, plan);
}

/** Shows a comment in the plan, or in the sidebar if it is not on a passage. */
function goToComment(id: string, hasAnchor: boolean, show: () => void): void {
  const { view, activeId } = useReview.getState();
  flushSync(() => {
    if (view === "source" || view === "edit") setView("plan");
    if (activeId === id) activate(undefined);
  });
  show();
  if (!hasAnchor) useReview.setState({ isSidebarOpen: true });
}
