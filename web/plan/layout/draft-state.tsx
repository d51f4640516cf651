import { clockTime } from "../../shared/clock-time.ts";
import { useReview } from "../state/review-store.ts";

/** Says where the person's words are. */
export function DraftState() {
  const draft = useReview((state) => state.draft);
  switch (draft.state) {
    case "saved":
      return <span className="draft-state">Draft saved {clockTime(draft.savedAt)}</span>;
    case "pending":
      return <span className="draft-state">Saving …</span>;
    case "failing":
      return <span className="draft-state draft-failing">Not saved</span>;
    default:
      return null;
  }
}
