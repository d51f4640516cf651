import { createRoot } from "react-dom/client";
import "../../shared/styles/shared.css";
import "../styles/layout.css";
import "../styles/tree.css";
import "../styles/diff.css";
import "../styles/comments.css";
import "../styles/commits.css";
import { embedImages } from "../../shared/images/upload.ts";
import { watchSystemTheme } from "../../shared/theme/theme.ts";
import { startHighlighting } from "../highlight/highlight-lines.ts";
import { CODE_DATA_ELEMENT, readSharedCode } from "../share/shared-code-review.ts";
import { useComments } from "../state/comments.ts";
import { useNotebooks } from "../state/notebooks.ts";
import { showSharedDiff } from "../state/session.ts";
import { FileApp } from "./file-app.tsx";
import { keepComments } from "./keep-comments.ts";

/** Starts the page of a saved HTML file: the diff and its comments, without a server. */
async function start(): Promise<void> {
  const review = readSharedCode(document.getElementById(CODE_DATA_ELEMENT)?.textContent ?? "");
  if (!review.index || !review.patches) throw new Error("The file contains no diff.");
  embedImages(review.images ?? {});
  useComments.setState({ comments: review.comments });
  keepComments(review);
  watchSystemTheme();
  useNotebooks.setState({ isServed: false });
  await startHighlighting();
  showSharedDiff(review.index, review.patches);
  const root = document.getElementById("root");
  if (root) createRoot(root).render(<FileApp review={review} />);
}

void start();
