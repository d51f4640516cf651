import { Download, MessageSquareText } from "lucide-react";
import { useEffect } from "react";
import { Button } from "../../shared/components/button.tsx";
import { Logo } from "../../shared/components/logo.tsx";
import { Segmented } from "../../shared/components/segmented.tsx";
import { Toasts } from "../../shared/components/toast.tsx";
import { ShortcutSheet } from "../../shared/keyboard/shortcut-sheet.tsx";
import { useShortcuts } from "../../shared/keyboard/shortcuts.ts";
import { AuthorField, downloadComments } from "../../shared/share/share-fields.tsx";
import { ThemeToggle } from "../../shared/theme/theme-toggle.tsx";
import { Sidebar } from "../annotate/sidebar.tsx";
import { Article } from "../article/article.tsx";
import { SourceView } from "../article/source-view.tsx";
import { planTyping, readingShortcuts } from "../layout/plan-shortcuts.ts";
import { TableOfContents } from "../layout/table-of-contents.tsx";
import type { SharedReview } from "../share/shared-review.ts";
import { openDialog, setView, toggleSidebar } from "../state/actions.ts";
import { useReview } from "../state/review-store.ts";

/** Renders a saved plan that can be annotated. Comments are saved as a file for import into the review. */
export function FileApp({ review }: { readonly review: SharedReview }) {
  const view = useReview((state) => state.view);
  const dialog = useReview((state) => state.dialog);
  useShortcuts(readingShortcuts, planTyping);
  useUnsavedWarning(review);
  return (
    <div className="page" data-view={view}>
      <FileHeader review={review} />
      <div className="columns">
        <TableOfContents />
        <main id="plan" className="main" tabIndex={-1}>
          {view === "source" ? <SourceView /> : <Article />}
        </main>
        <Sidebar />
      </div>
      {dialog === "shortcuts" && (
        <ShortcutSheet shortcuts={readingShortcuts} onClose={() => openDialog(undefined)} />
      )}
      <Toasts />
    </div>
  );
}

function FileHeader({ review }: { readonly review: SharedReview }) {
  const view = useReview((state) => state.view);
  const count = useReview((state) => state.annotations.length);
  const author = useReview((state) => state.author);
  return (
    <header className="header no-print">
      <Logo />
      <div className="header-title">
        <h1 title={review.title}>{review.title}</h1>
        <p>
          <span>A copy to read and annotate</span>
        </p>
      </div>
      <Segmented
        label="View"
        value={view === "source" ? "source" : "plan"}
        onChange={setView}
        options={[
          { value: "plan", label: "Plan" },
          { value: "source", label: "Source" },
        ]}
      />
      <div className="header-tools">
        <Button variant="quiet" className="sidebar-toggle" onClick={toggleSidebar}>
          <MessageSquareText size={17} aria-hidden />
          <span className="visually-hidden">Comments</span> <span className="badge">{count}</span>
        </Button>
        <ThemeToggle onChange={() => undefined} />
      </div>
      <div className="header-decide">
        <AuthorField author={author} onChange={(name) => useReview.setState({ author: name })} />
        <Button variant="primary" onClick={() => saveAnnotations(review)}>
          <Download size={16} aria-hidden /> Save my comments
        </Button>
      </div>
    </header>
  );
}

let saved: unknown;

/** Saves the comments as a file for “Import comments”. */
function saveAnnotations({ sallyport, title, plan }: SharedReview): void {
  const { annotations } = useReview.getState();
  const review: SharedReview = { sallyport, title, plan, annotations };
  downloadComments(review);
  saved = annotations;
}

/** Warns before leaving with comments that were not saved as a file. */
function useUnsavedWarning(review: SharedReview): void {
  useEffect(() => {
    saved = review.annotations;
    const warn = (event: BeforeUnloadEvent) => {
      const { annotations, composer } = useReview.getState();
      if (annotations !== saved || composer) event.preventDefault();
    };
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, [review]);
}
