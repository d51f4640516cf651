import { createRoot } from "react-dom/client";
import "../shared/styles/shared.css";
import { PageState } from "../shared/components/page-state.tsx";
import { MarkdownView } from "../shared/markdown/markdown-view.tsx";
import { parseMarkdown } from "../shared/markdown/parse-markdown.ts";

const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <PageState title="Sallyport">
      <MarkdownView document={parseMarkdown("The plan page is on its way.")} imageUrl={() => undefined} />
    </PageState>,
  );
}
