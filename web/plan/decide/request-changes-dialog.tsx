import { useDeferredValue, useMemo, useState } from "react";
import { parseMarkdown } from "../../../src/render/markdown/parse/parse-markdown.ts";
import { Button } from "../../shared/components/button.tsx";
import { Dialog } from "../../shared/components/dialog.tsx";
import { EarlierEdit } from "../../shared/components/earlier-edit.tsx";
import { ErrorLine } from "../../shared/components/error-line.tsx";
import { Segmented } from "../../shared/components/segmented.tsx";
import { IrreversibleButton } from "../../shared/irreversible/irreversible-button.tsx";
import { MarkdownView } from "../../shared/markdown/markdown-view.tsx";
import { openDialog } from "../state/actions.ts";
import { requestChanges } from "../state/decide.ts";
import { discardEdit, restoreEdit, setNote, setRewritten } from "../state/edited-feedback.ts";
import { getFeedback } from "../state/plan-feedback.ts";
import { useReview } from "../state/review-store.ts";
import { toSaveTargets } from "../state/settings.ts";
import { useDecision } from "./use-decision.ts";

/** Renders the dialog that requests changes, with the feedback, which the person can edit before sending it. */
export function RequestChangesDialog() {
  const state = useReview();
  const feedback = getFeedback(state, "request-changes");
  const { earlierEdit } = state;
  const { busy, error, run } = useDecision();
  const close = () => openDialog(undefined);
  const isSilent = feedback.trim() === "";
  const name = state.plan?.caller.name ?? "the agent";

  const send = () =>
    run(() => {
      const settings = state.plan?.settings ?? { theme: "system", planSave: { enabled: true } };
      const { planSave } = toSaveTargets(settings, "");
      return requestChanges({ ...(!isSilent && { feedback }), planSave, annotations: state.annotations });
    });

  return (
    <Dialog
      title={isSilent ? "Deny this plan" : "Request changes"}
      wide
      onClose={close}
      footer={
        <>
          <ErrorLine error={error} />
          <Button onClick={close}>Keep reviewing</Button>
          <IrreversibleButton variant="primary" takesKey disabled={busy} onPress={send}>
            {isSilent ? "Deny without comments" : `Send to ${name}`}
          </IrreversibleButton>
        </>
      }
    >
      <Summary name={name} isSilent={isSilent} />
      {earlierEdit !== undefined && earlierEdit !== feedback && <EarlierEdit onUse={restoreEdit} />}
      {!isSilent && <SentText name={name} feedback={feedback} />}
    </Dialog>
  );
}

interface SummaryProps {
  readonly name: string;
  readonly isSilent: boolean;
}

function Summary({ name, isSilent }: SummaryProps) {
  const note = useReview((state) => state.note);
  const hasAnnotations = useReview((state) => state.annotations.length > 0);
  return (
    <label className="field">
      <span>{hasAnnotations ? "Summary (optional)" : "What should change?"}</span>
      <textarea
        className="input"
        rows={2}
        data-initial-focus
        value={note}
        placeholder={
          isSilent
            ? `If you leave this empty, ${name} receives only the message that the plan was rejected.`
            : ""
        }
        onChange={({ target }) => setNote(target.value)}
      />
    </label>
  );
}

function SentText({ name, feedback }: { readonly name: string; readonly feedback: string }) {
  const [shown, setShown] = useState<"preview" | "text">("preview");
  const isRewritten = useReview((state) => state.rewritten !== undefined);
  return (
    <section className="sent-feedback">
      <div className="sent-feedback-head">
        <h3>What {name} will read</h3>
        {isRewritten && (
          <Button small variant="quiet" onClick={discardEdit}>
            Discard my edits to this text
          </Button>
        )}
        <Segmented
          label="Show as"
          value={shown}
          onChange={setShown}
          options={[
            { value: "preview", label: "Preview" },
            { value: "text", label: "Edit text" },
          ]}
        />
      </div>
      {shown === "preview" ? (
        <Preview text={feedback} />
      ) : (
        <textarea
          className="input input-code sent-feedback-field"
          aria-label={`What ${name} will read`}
          value={feedback}
          onChange={({ target }) => setRewritten(target.value)}
        />
      )}
    </section>
  );
}

/** Maximum length in UTF-16 units of a text that is rendered with the dialog; a longer text is rendered afterward. */
const DEFERRED_LENGTH = 20_000;

function Preview({ text }: { readonly text: string }) {
  // Rendering the feedback of thousands of comments must delay neither the dialog nor typing.
  const shown = useDeferredValue(text, text.length > DEFERRED_LENGTH ? "" : text);
  const document = useMemo(() => parseMarkdown(shown), [shown]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section className="sent-feedback-preview" tabIndex={0} aria-label="Preview">
      <MarkdownView small document={document} imageUrl={() => undefined} />
    </section>
  );
}
