import "../styles/pull.css";
import { useState } from "react";
import type { PostResponse, PullPreview } from "../../../src/review/api-types.ts";
import { explain } from "../../shared/api/client.ts";
import { Button } from "../../shared/components/button.tsx";
import { Dialog } from "../../shared/components/dialog.tsx";
import { Segmented } from "../../shared/components/segmented.tsx";
import { showToast } from "../../shared/components/toast.tsx";
import { IrreversibleButton } from "../../shared/irreversible/irreversible-button.tsx";
import { MessageText } from "../../shared/threads/message-text.tsx";
import { useThreads } from "../../shared/threads/thread-store.ts";
import { threadSummary } from "../../shared/threads/threads.ts";
import { threadPosition } from "../comments/line-threads.tsx";
import { decide } from "../state/decide.ts";
import { keepForLater, postReview, previewReview, usePull } from "../state/pull.ts";
import { openDialog } from "../state/view.ts";
import { describeItem, KeptList, PostedItems } from "./pull-items.tsx";

/** Renders the dialog that posts the review of a pull request (`post`), or the one that ends it (`done`). */
export function PullDialog({ kind }: { readonly kind: "post" | "done" }) {
  return kind === "post" ? <PostDialog /> : <DoneDialog />;
}

const close = () => openDialog("none");
const openPage = (url: string) => void window.open(url, "_blank", "noreferrer");

/** Renders the verdict and text of the review, then a preview of the items to post, and posts them. */
function PostDialog() {
  const label = usePull(({ pull }) => pull?.forgeLabel ?? "the forge");
  const [preview, setPreview] = useState<PullPreview>();
  const [without, setWithout] = useState<readonly string[]>([]);
  const [partial, setPartial] = useState<PostResponse>();
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);

  const show = async (leftOut: readonly string[]) => {
    setBusy(true);
    const result = await previewReview(leftOut);
    setBusy(false);
    setProblem(typeof result === "string" ? result : undefined);
    if (typeof result === "string") return;
    setWithout(leftOut);
    setPreview(result);
  };
  const post = async () => {
    if (!preview) return;
    setBusy(true);
    const result = await postReview(preview.preview);
    setBusy(false);
    if (!result.ok) {
      setProblem(explain(result));
      return;
    }
    const { posted, kept, url } = result.value;
    if (kept.length > 0) {
      setPartial(result.value);
      return;
    }
    close();
    showToast(`Posted at ${label}: ${posted === 1 ? "1 item" : `${posted} items`}`, {
      action: { label: "Open", run: () => openPage(url) },
    });
  };

  if (partial)
    return (
      <Dialog
        title={partial.posted === 0 ? `Nothing was posted at ${label}` : `Posted in part at ${label}`}
        onClose={close}
        footer={
          <>
            {partial.posted > 0 && (
              <Button onClick={() => openPage(partial.url)}>{`Open at ${label}`}</Button>
            )}
            <Button onClick={close}>Close</Button>
          </>
        }
      >
        <PostedItems {...partial} />
      </Dialog>
    );
  return (
    <Dialog
      title={preview ? `Post this at ${label}?` : `Review at ${label}`}
      wide
      onClose={close}
      footer={
        preview ? (
          <>
            <Button onClick={() => setPreview(undefined)}>Back</Button>
            <IrreversibleButton
              variant="primary"
              takesKey
              disabled={isBusy || preview.items.length === 0}
              onPress={() => void post()}
            >
              {isBusy ? "Posting …" : `Post at ${label}`}
            </IrreversibleButton>
          </>
        ) : (
          <>
            <Button onClick={close}>Keep reviewing</Button>
            <Button variant="primary" disabled={isBusy} onClick={() => void show([])}>
              {isBusy ? "Loading …" : "Preview"}
            </Button>
          </>
        )
      }
    >
      {problem !== undefined && (
        <p className="dialog-problem" role="alert">
          {preview ? "Not posted: " : ""}
          {problem} {preview && "Your comments are kept. Nothing is posted twice."}
        </p>
      )}
      {preview ? (
        <PreviewList
          preview={preview}
          without={without}
          isBusy={isBusy}
          onChange={(leftOut) => void show(leftOut)}
        />
      ) : (
        <Compose />
      )}
    </Dialog>
  );
}

function Compose() {
  const verdict = usePull((state) => state.verdict);
  const text = useThreads((state) => state.reviewText);
  return (
    <>
      <Segmented
        label="Verdict"
        value={verdict}
        onChange={(next) => usePull.setState({ verdict: next })}
        options={[
          { value: "comment", label: "Comment" },
          { value: "approve", label: "Approve" },
          { value: "request_changes", label: "Request changes" },
        ]}
      />
      <label className="field">
        <span>{verdict === "request_changes" ? "Required changes" : "General text (optional)"}</span>
        <textarea
          className="input"
          data-initial-focus
          rows={5}
          value={text}
          onChange={({ target }) => useThreads.setState({ reviewText: target.value })}
        />
      </label>
      <p className="hint">
        The next step shows everything that will be posted. Nothing is sent before you confirm.
      </p>
    </>
  );
}

interface PreviewListProps {
  readonly preview: PullPreview;
  readonly without: readonly string[];
  readonly isBusy: boolean;
  readonly onChange: (without: readonly string[]) => void;
}

function PreviewList({ preview, without, isBusy, onChange }: PreviewListProps) {
  const threads = useThreads((state) => state.threads);
  const { items, kept } = preview;
  const leftOut = threads.filter(({ id }) => without.includes(id));
  return (
    <div className="pull-preview">
      {items.length === 0 && <p>Nothing to post. Write a comment or choose a verdict.</p>}
      <ol className="pull-items">
        {items.map((item) => (
          <li key={`${item.kind} ${item.thread ?? ""}`} className="pull-item">
            <p className="pull-item-head">
              <strong>{describeItem(item)}</strong>
              {item.thread !== undefined && (
                <Button
                  small
                  variant="quiet"
                  aria-label={`Leave out: ${describeItem(item)}`}
                  disabled={isBusy}
                  onClick={() => onChange([...without, item.thread ?? ""])}
                >
                  Leave out
                </Button>
              )}
            </p>
            {item.body ? <MessageText text={item.body} /> : null}
          </li>
        ))}
      </ol>
      {kept.length > 0 && <KeptList kept={kept} />}
      {leftOut.length > 0 && (
        <section>
          <h3>Left out of this review</h3>
          <ul className="pull-items">
            {leftOut.map((thread) => (
              <li key={thread.id} className="pull-item-head">
                <span>
                  {threadSummary(thread)} <span className="hint">{threadPosition(thread)}</span>
                </span>
                <Button
                  small
                  aria-label={`Include: ${threadSummary(thread)}`}
                  disabled={isBusy}
                  onClick={() => onChange(without.filter((id) => id !== thread.id))}
                >
                  Include
                </Button>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

function DoneDialog() {
  const posted = usePull(({ pull }) => pull?.posted.length ?? 0);
  const label = usePull(({ pull }) => pull?.forgeLabel ?? "the forge");
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const end = async () => {
    setBusy(true);
    const kept = await keepForLater();
    setProblem(kept ?? (await decide({ feedback: "", complete: true, annotations: [] }, false)));
    setBusy(false);
  };
  return (
    <Dialog
      title="End this review"
      onClose={close}
      footer={
        <>
          <Button onClick={close}>Keep reviewing</Button>
          <IrreversibleButton variant="primary" takesKey disabled={isBusy} onPress={() => void end()}>
            {isBusy ? "Ending …" : "End the review"}
          </IrreversibleButton>
        </>
      }
    >
      {problem !== undefined && (
        <p className="dialog-problem" role="alert">
          Not ended: {problem}
        </p>
      )}
      <p>
        {posted === 0
          ? `You have posted nothing at ${label}.`
          : `You have posted ${posted === 1 ? "a review" : `${posted} reviews`} at ${label}.`}{" "}
        Comments that are not posted are kept: the next review of this pull request shows them again.
      </p>
    </Dialog>
  );
}
