import { type KeyboardEvent, useEffect, useRef } from "react";
import type { PlanAnchor } from "../../../src/review/api-types.ts";
import { Button } from "../../shared/components/button.tsx";
import { Segmented } from "../../shared/components/segmented.tsx";
import { ImageAttachments } from "../../shared/images/image-attachments.tsx";
import { LONE_COMMAND_MS, mayBeCommand } from "../../shared/keyboard/first-key.ts";
import { KeyHint } from "../../shared/keyboard/key-hint.tsx";
import type { Box } from "../dom/target.ts";
import { blockElement, focusBlock } from "../dom/text-points.ts";
import { findAnchorBlocks } from "../model/anchor.ts";
import { type AnnotationType, typeNames } from "../model/annotations.ts";
import {
  discardComposer,
  isWorthKeeping,
  leaveComposer,
  runLoneCommand,
  saveComposer,
  updateComposer,
} from "../state/actions.ts";
import { type Composer, useReview } from "../state/review-store.ts";
import { TypeIcon } from "./type-icon.tsx";

interface AnnotationComposerProps {
  readonly composer: Composer;
  /** Position of the target text. Without a position, the composer is laid out in the flow. */
  readonly box?: Box;
}

/** Renders the editor of one annotation. Escape and Mod+Enter close the editor and keep the annotation. */
export function AnnotationComposer({ composer, box }: AnnotationComposerProps) {
  const { type, images } = composer;
  const canAttach = useReview((state) => state.plan !== undefined);
  const first = useRef<HTMLTextAreaElement>(null);

  useFocusReturn(composer.anchor);
  useLoneCommand(composer);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another type has another first field
  useEffect(() => {
    const field = first.current;
    field?.focus({ preventScroll: true });
    field?.setSelectionRange(field.value.length, field.value.length);
    field?.closest(".composer")?.scrollIntoView({ block: "nearest" });
  }, [type]);

  return (
    <section
      className="composer"
      aria-label={composer.editing ? "Edit comment" : "New comment"}
      style={box && { top: box.bottom + 8 }}
      onKeyDown={onKeyDown}
    >
      {composer.anchor && <TypeChoice composer={composer} />}
      <ImageAttachments
        images={images}
        canAttach={canAttach}
        onChange={(attached) => updateComposer({ images: attached })}
        actions={
          <span className="composer-actions">
            <Button small variant="quiet" onClick={discardComposer}>
              Discard
            </Button>
            <Button small variant="primary" disabled={!isWorthKeeping(composer)} onClick={saveComposer}>
              {composer.editing ? "Save" : "Add comment"} <KeyHint keys="Mod+Enter" />
            </Button>
          </span>
        }
      >
        <Fields composer={composer} first={first} />
      </ImageAttachments>
    </section>
  );
}

interface FieldsProps {
  readonly composer: Composer;
  /** The field that gets the focus first. */
  readonly first: React.RefObject<HTMLTextAreaElement | null>;
}

/** Renders the proposed text, for types that have one, and the comment on it. */
function Fields({ composer: { type, text, replacement }, first }: FieldsProps) {
  const proposes = type === "replace" || type === "insert";
  return (
    <div className="composer-fields">
      {proposes && (
        <label className="field">
          <span>{type === "replace" ? "Change it to" : "Insert after it"}</span>
          <textarea
            ref={first}
            className="input input-code"
            value={replacement}
            placeholder={type === "replace" ? "Leave empty to remove it" : "Markdown"}
            onChange={(event) => updateComposer({ replacement: event.target.value })}
          />
        </label>
      )}
      <label className="field">
        <span className={proposes ? "" : "visually-hidden"}>
          {proposes ? "Why (optional)" : typeNames[type]}
        </span>
        <textarea
          ref={proposes ? undefined : first}
          className="input"
          value={text}
          rows={proposes ? 2 : 3}
          placeholder={PLACEHOLDERS[type]}
          onChange={(event) => updateComposer({ text: event.target.value })}
        />
      </label>
    </div>
  );
}

/** Runs the command of a single character that was typed on a selection and followed by a pause. */
function useLoneCommand({ isTyped, text }: Composer): void {
  useEffect(() => {
    if (!isTyped || !mayBeCommand(text)) return undefined;
    const timer = setTimeout(runLoneCommand, LONE_COMMAND_MS);
    return () => clearTimeout(timer);
  }, [isTyped, text]);
}

/**
 * Returns the focus, when the composer closes, to the element that had it before, or to the annotated text if that
 * element is gone or contains the text.
 */
function useFocusReturn(anchor: PlanAnchor | undefined): void {
  const about = useRef(anchor);
  useEffect(() => {
    const before = document.activeElement;
    return () => {
      if (document.activeElement !== document.body) return;
      const root = document.querySelector(".plan");
      const block = about.current && findAnchorBlocks(useReview.getState().document, about.current)[0];
      const element = root && block !== undefined && blockElement(root, block);
      // A click into the plan focuses the plan's container; the annotated text is more specific.
      const isNearer = before instanceof HTMLElement && before !== document.body && before.isConnected;
      if (isNearer && !(element && before.contains(element))) before.focus({ preventScroll: true });
      else if (element) focusBlock(element);
    };
  }, []);
}

const PLACEHOLDERS: Readonly<Record<AnnotationType, string>> = {
  comment: "What should change, or what is unclear?",
  concern: "What could go wrong?",
  general: "About the plan as a whole",
  delete: "Why (optional)",
  label: "",
  replace: "",
  insert: "",
};

/** Types in the order of the keys Alt+1 to Alt+5. */
const KINDS = ["comment", "replace", "insert", "delete", "concern"] as const satisfies AnnotationType[];

function TypeChoice({ composer }: { readonly composer: Composer }) {
  if (composer.type === "label") return null;
  return (
    <Segmented
      label="Comment type"
      value={composer.type}
      onChange={changeKind}
      options={KINDS.map((value) => ({
        value,
        label: (
          <>
            <TypeIcon type={value} size={13} /> {value === "insert" ? "Insert" : typeNames[value]}
          </>
        ),
      }))}
    />
  );
}

function changeKind(type: AnnotationType): void {
  const { composer, document } = useReview.getState();
  if (!composer) return;
  const { anchor, replacement } = composer;
  const quote = anchor ? document.source.slice(anchor.start, anchor.end) : "";
  const prefilled = type === "replace" && replacement === "" ? quote : replacement;
  updateComposer({ type, replacement: type === "insert" && prefilled === quote ? "" : prefilled });
}

/** Handles Alt+1 to Alt+5. Returns whether the key chose a type. */
function changesKind({ altKey, code }: KeyboardEvent): boolean {
  const { composer } = useReview.getState();
  const kind = altKey ? KINDS[Number(code.replace("Digit", "")) - 1] : undefined;
  if (!kind || !composer?.anchor || composer.type === "label") return false;
  changeKind(kind);
  return true;
}

function onKeyDown(event: KeyboardEvent): void {
  if (event.nativeEvent.isComposing || event.defaultPrevented) return;
  // A dialog inside the composer handles its own keys.
  if (event.target instanceof Element && event.target.closest("dialog")) return;
  if (event.key === "Escape") {
    event.preventDefault();
    leaveComposer();
  } else if (changesKind(event)) {
    event.preventDefault();
  } else if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) {
    event.preventDefault();
    saveComposer();
  }
}
