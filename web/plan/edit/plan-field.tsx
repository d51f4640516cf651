import { memo, type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { sourceLines } from "../../../src/render/markdown/parse/source-lines.ts";
import { getOpenEditor, setOpenEditor } from "../dom/open-editor.ts";
import { goToLine, lineBeingRead } from "../dom/reading-position.ts";
import { typeSource } from "../state/actions.ts";
import { getSource, type ReviewState, useReview } from "../state/review-store.ts";
import type { Selection } from "./markdown-editor.ts";

const LABEL = "The plan's Markdown";

type EditorModule = typeof import("./markdown-editor.ts");
let loaded: EditorModule | undefined;

/**
 * Returns whether the plan is edited in the text area only: it has more than a million characters and is shown as plain
 * text.
 */
export const isPlainText = ({ document }: ReviewState): boolean => document.isPlain === true;

interface PlanFieldProps {
  /** Called with the caret's line, from 1, when it changes. */
  readonly onCaretLine: (line: number) => void;
}

/** The state that the editor takes over from the text area. */
interface Handover {
  readonly selection: Selection;
  readonly hasFocus: boolean;
  readonly readingLine: number;
}

/**
 * Renders a text area for the plan until the editor is loaded. The editor then takes over the selection, the focus and
 * the reading position. If the editor cannot be loaded, the text area stays.
 */
export const PlanField = memo(function PlanField({ onCaretLine }: PlanFieldProps) {
  const [editor, setEditor] = useState(() => (isPlainText(useReview.getState()) ? undefined : loaded));
  const handover = useRef<Handover>(undefined);
  const field = useRef<HTMLTextAreaElement>(null);

  useEffect(() => {
    if (editor || isPlainText(useReview.getState())) return undefined;
    let isMounted = true;
    const load = async () => {
      loaded ??= await import("./markdown-editor.ts");
      await endOfComposition(field);
      if (!isMounted || !field.current) return;
      handover.current = handOver(field.current);
      // Renders synchronously, because a key that is pressed before the editor has the focus would be lost.
      flushSync(() => setEditor(loaded));
    };
    // If the editor cannot be loaded, the person continues in the text area.
    load().catch(() => {});
    return () => {
      isMounted = false;
    };
  }, [editor]);

  // Not a layout effect, whose cleanup runs while the field still has the focus.
  useEffect(
    () => () => {
      // After the editor closes, the focus continues in the plan.
      if (document.activeElement === document.body) document.querySelector<HTMLElement>("#plan")?.focus();
    },
    [],
  );

  if (!editor) return <TextField ref={field} onCaretLine={onCaretLine} />;
  return (
    <Editor
      module={editor}
      handover={handover.current}
      onCaretLine={onCaretLine}
      onFailed={() => setEditor(undefined)}
    />
  );
});

function handOver(field: HTMLTextAreaElement): Handover {
  const { selectionStart, selectionEnd, selectionDirection } = field;
  const isBackward = selectionDirection === "backward";
  return {
    selection: {
      anchor: isBackward ? selectionEnd : selectionStart,
      head: isBackward ? selectionStart : selectionEnd,
    },
    hasFocus: document.activeElement === field,
    readingLine: lineBeingRead(useReview.getState()),
  };
}

const composing = new WeakSet<Element>();

/** Waits until the characters that an input method composes in the field are complete. */
function endOfComposition(field: RefObject<HTMLTextAreaElement | null>): Promise<void> {
  return new Promise((resolve) => {
    if (!field.current || !composing.has(field.current)) resolve();
    else field.current.addEventListener("compositionend", () => setTimeout(resolve), { once: true });
  });
}

interface EditorProps extends PlanFieldProps {
  readonly module: EditorModule;
  readonly handover: Handover | undefined;
  readonly onFailed: () => void;
}

function Editor({ module, handover, onCaretLine, onFailed }: EditorProps) {
  const ref = useRef<HTMLDivElement>(null);
  // Runs before the page scrolls to the reading position, which needs the text.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor is opened once
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return undefined;
    const state = useReview.getState();
    const options = {
      label: LABEL,
      source: getSource(state),
      at: handover?.selection ?? state.readingLine,
      onText: typeSource,
      onCaretLine,
    };
    try {
      const editor = module.openEditor(element, options);
      setOpenEditor(editor);
      if (handover?.hasFocus !== false) editor.focus();
      if (handover) goToLine("edit", handover.readingLine, state.document);
      const unsubscribe = useReview.subscribe((now) => editor.show(getSource(now)));
      return () => {
        unsubscribe();
        if (getOpenEditor() === editor) setOpenEditor(undefined);
        editor.close();
      };
    } catch (error) {
      reportError(error);
      onFailed();
      return undefined;
    }
  }, []);
  return <div ref={ref} className="edit-field" />;
}

interface TextFieldProps extends PlanFieldProps {
  readonly ref: RefObject<HTMLTextAreaElement | null>;
}

/**
 * Renders an uncontrolled field, because React would write the whole plan to a controlled field on every key
 * press.
 */
function TextField({ ref, onCaretLine }: TextFieldProps) {
  // Runs before the page scrolls to the reading position, which needs the text.
  useLayoutEffect(() => {
    const field = ref.current;
    if (!field) return undefined;
    const show = (text: string) => {
      if (field.value !== text) field.value = text;
    };
    show(getSource(useReview.getState()));
    field.focus({ preventScroll: true });
    const { readingLine } = useReview.getState();
    const caret = sourceLines(field.value).start(readingLine - 1);
    field.setSelectionRange(caret, caret);
    return useReview.subscribe((state) => show(getSource(state)));
  }, [ref]);

  return (
    <textarea
      ref={ref}
      className="input input-code edit-field edit-text"
      aria-label={LABEL}
      spellCheck={false}
      onInput={({ currentTarget }) => typeSource(currentTarget.value)}
      onSelect={({ currentTarget: { value, selectionEnd } }) => {
        if (!isPlainText(useReview.getState())) onCaretLine(value.slice(0, selectionEnd).split("\n").length);
      }}
      onCompositionStart={({ currentTarget }) => composing.add(currentTarget)}
      onCompositionEnd={({ currentTarget }) => composing.delete(currentTarget)}
    />
  );
}
