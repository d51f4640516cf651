import type { PlanAnnotation } from "../../../src/review/api-types.ts";
import { readStored, writeStored } from "../../shared/share/stored-comments.ts";
import type { SharedReview } from "../share/shared-review.ts";
import { type Composer, useReview } from "../state/review-store.ts";

/** Comments on a shared file, as stored by the browser. */
interface KeptAnnotations {
  readonly annotations: readonly PlanAnnotation[];
  readonly composer?: Composer;
  readonly author: string;
}

/** Restores stored comments on this file and stores every change. */
export function keepAnnotations({ title, plan, annotations }: SharedReview): void {
  const key = `sallyport ${title} ${checksum(plan + JSON.stringify(annotations))}`;
  const kept = readStored<KeptAnnotations>(key, (kept) => Array.isArray(kept.annotations));
  if (kept) useReview.setState(kept);
  useReview.subscribe((now, before) => {
    const isSame =
      now.annotations === before.annotations &&
      now.composer === before.composer &&
      now.author === before.author;
    if (isSame) return;
    const { composer, author } = now;
    writeStored(key, { annotations: now.annotations, composer, author });
  });
}

/** Hashes with FNV-1a, to distinguish files only. */
function checksum(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0).toString(36);
}
