import { withDeceptionsShown } from "../../../src/render/markdown/deceptive.ts";
import type { KeptItem, PostResponse, PreviewItem } from "../../../src/review/api-types.ts";
import { useThreads } from "../../shared/threads/thread-store.ts";
import { threadSummary } from "../../shared/threads/threads.ts";
import { formatLines } from "../core/feedback.ts";

/** Renders the items that were posted and those that were not, after a review was posted in part. */
export function PostedItems({ items, kept }: Pick<PostResponse, "items" | "kept">) {
  return (
    <>
      {items.length > 0 && (
        <section>
          <h3>Posted</h3>
          <ul className="pull-items">
            {items.map((item) => (
              <li key={`${item.kind} ${item.thread ?? ""}`}>{describeItem(item)}</li>
            ))}
          </ul>
        </section>
      )}
      <KeptList kept={kept} />
    </>
  );
}

/** Renders the threads and the text that are not posted, each with its reason. */
export function KeptList({ kept }: { readonly kept: readonly KeptItem[] }) {
  const threads = useThreads((state) => state.threads);
  return (
    <section className="callout">
      <h3>Not posted</h3>
      <ul>
        {kept.map(({ thread: id, reason }) => {
          const thread = threads.find((each) => each.id === id);
          return (
            <li key={`${id} ${reason}`}>
              {thread && <q>{withDeceptionsShown(threadSummary(thread))}</q>} {reason}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

const VERDICTS = { approve: "Approve", comment: "General text", request_changes: "Request changes" } as const;

/** Describes an item of a review in one line. */
export function describeItem({
  kind,
  path = "",
  lineStart = 0,
  lineEnd = 0,
  side,
  verdict,
}: PreviewItem): string {
  const shown = withDeceptionsShown(path);
  switch (kind) {
    case "comment":
      return `Comment on ${shown}, ${formatLines(lineStart, lineEnd)}${side === "old" ? ", before the change" : ""}`;
    case "file":
      return `Comment on ${shown}`;
    case "general":
      return "General comment";
    case "reply":
      return "Reply";
    case "resolve":
      return "Resolve the thread";
    case "reopen":
      return "Reopen the thread";
    case "verdict":
      return VERDICTS[verdict ?? "comment"];
  }
}
