import { Button } from "../../shared/components/button.tsx";
import { DamagedDraftBanner } from "../../shared/drafts/damaged-draft-banner.tsx";
import { setView } from "../state/actions.ts";
import { discardRestored } from "../state/draft.ts";
import { useReview } from "../state/review-store.ts";

/** Reports a restored or unreadable draft of an earlier review. */
export function DraftNotices() {
  const restored = useReview((state) => state.restored);
  const damaged = useReview((state) => state.damagedDraft);
  return (
    <>
      {damaged !== undefined && (
        <DamagedDraftBanner
          subject="this plan"
          file={damaged}
          onDismiss={() => useReview.setState({ damagedDraft: undefined })}
        />
      )}
      {restored && (
        <div className="banner banner-warning" role="status">
          <span>
            An earlier review of this plan ended without a decision. {describe(restored)} restored
            {restored.savedAt !== "" && ` (saved ${new Date(restored.savedAt).toLocaleString()})`}.
          </span>
          {restored.hasEdit && (
            <Button small onClick={() => setView("edit")}>
              Show my edit
            </Button>
          )}
          <Button small onClick={discardRestored}>
            Discard
          </Button>
          <Button small variant="quiet" onClick={() => useReview.setState({ restored: undefined })}>
            Keep
          </Button>
        </div>
      )}
    </>
  );
}

function describe({
  annotationIds,
  hasEdit,
}: {
  readonly annotationIds: readonly string[];
  readonly hasEdit: boolean;
}): string {
  const count = annotationIds.length;
  const comments = count === 0 ? "" : count === 1 ? "1 comment" : `${count} comments`;
  if (hasEdit)
    return comments === "" ? "Your edit of the plan was" : `Your edit of the plan and ${comments} were`;
  return comments === "" ? "A comment you were writing was" : `${comments} ${count === 1 ? "was" : "were"}`;
}
