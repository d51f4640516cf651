import { createRoot } from "react-dom/client";
import "../../shared/styles/shared.css";
import "../../shared/styles/markdown-layer.css";
import "../styles/plan.css";
import { parseMarkdown } from "../../../src/render/markdown/parse/parse-markdown.ts";
import { embedImages } from "../../shared/images/upload.ts";
import { embedDiagrams } from "../../shared/markdown/diagrams/embedded-diagrams.ts";
import { watchSystemTheme } from "../../shared/theme/theme.ts";
import { DATA_ELEMENT, readShared } from "../share/shared-review.ts";
import { useReview } from "../state/review-store.ts";
import { FileApp } from "./file-app.tsx";
import { keepAnnotations } from "./keep-annotations.ts";

/** Entry of the saved HTML file: the plan and its annotations, without a server. */
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

void start();
