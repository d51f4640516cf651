import type { MarkdownDocument } from "../../../src/render/markdown/model.ts";
import type { PlanAnchor, PlanAnnotation, Thread } from "../../../src/review/api-types.ts";
import { useThreads } from "../../shared/threads/thread-store.ts";
import { documentIndex } from "../model/document-index.ts";
import { useReview } from "./review-store.ts";

/** Returns the anchor of a thread in the plan; undefined for a thread on the whole plan or an outdated thread. */
export function threadAnchor(
  document: MarkdownDocument,
  { anchor, outdated }: Thread,
): PlanAnchor | undefined {
  if (anchor.kind !== "plan" || outdated) return undefined;
  const { lines } = documentIndex(document);
  const { start, end, quote } = anchor;
  if (start < 0 || end > document.source.length || start >= end) return undefined;
  const endLine = lines.at(end - 1) + 1;
  return { start, end, quote, startLine: lines.at(start) + 1, endLine, prefix: "", suffix: "" };
}

/** Returns open threads as annotations, so that they are painted in the plan like comments. */
export function threadMarks(
  document: MarkdownDocument,
  threads: readonly Thread[],
): readonly PlanAnnotation[] {
  return threads.flatMap((thread) => {
    const anchor = thread.state === "open" ? threadAnchor(document, thread) : undefined;
    if (!anchor) return [];
    const type = thread.type === "concern" || thread.severity === "error" ? "concern" : "comment";
    return [{ id: thread.id, type, anchor, text: "", createdAt: "" }];
  });
}

/** Makes a thread active. The plan scrolls to the thread's quote. */
export function showThread({ id, anchor }: Thread): void {
  useThreads.setState({ activeId: id });
  useReview.setState({ activeId: id, ...(anchor.kind === "plan" && { isSidebarOpen: false }) });
}
