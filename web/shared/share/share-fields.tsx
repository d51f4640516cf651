import { FileDown } from "lucide-react";
import { useState } from "react";
import { Button } from "../components/button.tsx";
import { showToast } from "../components/toast.tsx";
import { download } from "../download.ts";

/** Renders a button that saves a review as one HTML file, and shows the reason if saving fails. */
export function SavePageButton({
  create,
}: {
  readonly create: () => Promise<{ page: Blob; title: string }>;
}) {
  const [saving, setSaving] = useState(false);
  const save = async () => {
    setSaving(true);
    try {
      const { page, title } = await create();
      download(page, `${title}.html`);
    } catch (error) {
      const reason = error instanceof Error ? error.message : "unknown reason";
      showToast(`Cannot save the page: ${reason}.`, { tone: "danger" });
    }
    setSaving(false);
  };
  return (
    <Button variant="primary" disabled={saving} onClick={() => void save()}>
      <FileDown size={16} aria-hidden /> {saving ? "Saving …" : "Save as one HTML file"}
    </Button>
  );
}

/** Renders a field for the name of the person who adds comments to a saved page. */
export function AuthorField(props: { readonly author: string; readonly onChange: (author: string) => void }) {
  return (
    <input
      className="input author-name"
      aria-label="Your name, shown with your comments"
      placeholder="Your name"
      maxLength={80}
      value={props.author}
      onChange={({ target }) => props.onChange(target.value)}
    />
  );
}

/** Saves comments as a file for “Import comments”. */
export function downloadComments(review: { readonly title: string }): void {
  const file = new Blob([JSON.stringify(review)], { type: "application/json" });
  download(file, `${review.title} comments.json`);
  showToast("File saved. Send it back: the reviewer opens it with “Import comments”.");
}

/**
 * Renders a field for a file with comments. `onText` receives the file's text, or undefined if no file is
 * selected.
 */
export function CommentsFileField({ onText }: { readonly onText: (text: string | undefined) => void }) {
  return (
    <label className="field">
      <span>A comments file, or a page saved by Sallyport</span>
      <input
        className="input"
        type="file"
        accept=".json,.html,application/json,text/html"
        onChange={async ({ target }) => onText(await target.files?.[0]?.text())}
      />
    </label>
  );
}

/** Returns a number of comments as text. */
export function formatCount(comments: number): string {
  return comments === 1 ? "1 comment" : `${comments} comments`;
}

/** Returns a sentence about the comments that the review already has; empty if there are none. */
export function formatKnown(known: number): string {
  if (known === 0) return "";
  return ` ${known} of them ${known === 1 ? "is" : "are"} already in the review.`;
}
