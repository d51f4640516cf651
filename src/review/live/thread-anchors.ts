import type { SentAnchor } from "./thread-bodies.ts";
import type { LocatedAnchor } from "./thread-store.ts";

/** The anchors that exist in the plan or the diff under review. */
export interface ThreadAnchors {
  /** Returns an anchor with its code or quote. Throws `validation` if it does not exist. */
  locate(anchor: SentAnchor): Promise<LocatedAnchor>;
}
