import type { SentAnchor } from "./thread-bodies.ts";
import type { LocatedAnchor } from "./thread-store.ts";

/** Locates anchors in the plan or the diff under review. */
export interface ThreadAnchors {
  /** Returns an anchor with its code or quote. Throws `validation` if the plan or diff does not have it. */
  locate(anchor: SentAnchor): Promise<LocatedAnchor>;
}
