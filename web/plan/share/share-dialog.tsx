import { Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { copyAndReport } from "../../shared/clipboard.ts";
import { Button } from "../../shared/components/button.tsx";
import { Dialog } from "../../shared/components/dialog.tsx";
import { SavePageButton } from "../../shared/share/share-fields.tsx";
import { openDialog } from "../state/actions.ts";
import { useReview } from "../state/review-store.ts";
import { shareLink } from "./shared-review.ts";

/** Renders the dialog that shares the plan as a file or as a link that contains it. Nothing is uploaded. */
export function ShareDialog() {
  return (
    <Dialog title="Share this plan" onClose={() => openDialog(undefined)}>
      <FileSection />
      <LinkSection />
    </Dialog>
  );
}

function FileSection() {
  const create = async () => {
    const { createPage } = await import("./save-as-page.ts");
    return createPage(useReview.getState());
  };
  return (
    <section className="share-way">
      <h3>As one HTML file</h3>
      <p className="hint">
        Shows the plan and your comments in any browser, without Sallyport. A colleague can add comments and
        send them back as a file, which you import here.
      </p>
      <SavePageButton create={create} />
    </section>
  );
}

function LinkSection() {
  const [link, setLink] = useState("");
  useEffect(() => {
    const make = async () => {
      const { toSharedReview } = await import("./save-as-page.ts");
      setLink(await shareLink(toSharedReview(useReview.getState()), location.origin));
    };
    void make();
  }, []);
  return (
    <section className="share-way">
      <h3>As a link</h3>
      <p className="hint">
        The link itself contains the plan and your comments; nothing is uploaded. It opens here while this
        review runs, and in any other Sallyport review under “Import comments”. It does not include attached
        images.
      </p>
      <div className="share-link">
        <input
          className="input input-code"
          readOnly
          aria-label="Link"
          value={link}
          onFocus={({ target }) => target.select()}
        />
        <Button
          disabled={link === ""}
          onClick={() => void copyAndReport(link, `Link copied (${Math.ceil(link.length / 1024)} kB)`)}
        >
          <Copy size={16} aria-hidden /> Copy
        </Button>
      </div>
    </section>
  );
}
