import { createRoot } from "react-dom/client";
import "../../shared/styles/shared.css";
import "../../shared/styles/markdown-layer.css";
import "../styles/plan.css";
import { parseMarkdown } from "../../../src/render/markdown/parse/parse-markdown.ts";
import type { PlanAnnotation } from "../../../src/review/api-types.ts";
import { embedImages } from "../../shared/images/upload.ts";
import { embedDiagrams } from "../../shared/markdown/diagrams/embedded-diagrams.ts";
import { readStored, writeStored } from "../../shared/share/stored-comments.ts";
import { watchSystemTheme } from "../../shared/theme/theme.ts";
import { DATA_ELEMENT, readShared, type SharedReview } from "../share/shared-review.ts";
import { type Composer, useReview } from "../state/review-store.ts";
import { FileApp } from "./file-app.tsx";

/** Starts the page of a saved HTML file: the plan and its annotations, without a server. */
async function start(): Promise<void> {
  const review = await readShared(document.getElementById(DATA_ELEMENT)?.textContent ?? "");
  embedImages(review.images ?? {});
  embedDiagrams(review.diagrams ?? {});
  useReview.setState({
    phase: "review",
    document: parseMarkdown(review.plan),
    annotations: review.annotations,
  });
  keepAnnotations(review);
  watchSystemTheme();
  const root = document.getElementById("root");
  if (root) createRoot(root).render(<FileApp review={review} />);
}

/** Comments on a saved page, as stored by the browser. */
interface KeptAnnotations {
  readonly annotations: readonly PlanAnnotation[];
  readonly composer?: Composer;
  readonly author: string;
}

/** Restores the stored comments on this page, and stores every change. */
function keepAnnotations({ title, plan, annotations }: SharedReview): void {
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

/** Hashes with FNV-1a, only to distinguish files. */
function checksum(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0).toString(36);
}

void start();
