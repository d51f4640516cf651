import { parseMarkdown } from "../../../src/render/markdown/parse/parse-markdown.ts";
import type { AttachedImage, PlanAnchor, PlanAnnotation } from "../../../src/review/api-types.ts";
import { announce, showToast } from "../../shared/components/toast.tsx";
import { commandBefore, isLoneCommand, mayBeCommand } from "../../shared/keyboard/first-key.ts";
import { newId } from "../../shared/new-id.ts";
import { lineBeingRead } from "../dom/reading-position.ts";
import { type AnnotationType, relocateAnchor, relocateAnnotations, typeNames } from "../model/annotations.ts";
import { type Composer, type DialogName, useReview, type View } from "./review-store.ts";

const { getState: state, setState: set } = useReview;
const NO_IMAGES: readonly AttachedImage[] = [];
const past: (readonly PlanAnnotation[])[] = [];

/**
 * Opens the composer for a new note on a stretch of the plan, or on the plan as a whole. A note that is being written
 * about something else is saved where it is.
 */
export function startAnnotation(type: AnnotationType, anchor?: PlanAnchor, typed = ""): void {
  const open = state().composer;
  const isSame = open !== undefined && !open.editing && isSameStretch(open.anchor, anchor);
  if (!isSame) saveComposer();
  const kept = isSame ? { text: open.text + typed, images: open.images } : { text: typed, images: [] };
  const replacement =
    type === "replace" && anchor ? state().document.source.slice(anchor.start, anchor.end) : "";
  const composer = { ...kept, type, replacement, isTyped: typed !== "", ...(anchor && { anchor }) };
  set({ composer, ...shownBeneath(anchor) });
}

function isSameStretch(a: PlanAnchor | undefined, b: PlanAnchor | undefined): boolean {
  return a?.start === b?.start && a?.end === b?.end;
}

/** In a narrow window the panel covers the plan: it goes aside for what stands or is written in the plan. */
function shownBeneath(anchor: PlanAnchor | undefined) {
  return anchor ? { isSidebarOpen: false } : {};
}

/** Adds a note that needs no words: a deletion or a quick label. */
export function addAtOnce(type: "delete" | "label", anchor: PlanAnchor, text = ""): void {
  const annotation = create({ type, anchor, text, replacement: "", images: [] });
  change([...state().annotations, annotation]);
  set({ activeId: annotation.id });
  showToast(type === "delete" ? "Marked for removal" : `Added label “${text}”`, {
    action: { label: "Undo", run: undo },
  });
}

/** Offers quick labels for a stretch of the plan. */
export const openLabels = (anchor: PlanAnchor) => set({ labelTarget: anchor, ...shownBeneath(anchor) });
/** Takes the quick labels away. */
export const closeLabels = () => set({ labelTarget: undefined });

/** Changes what is being written; nothing where no note is. */
export function updateComposer(changes: Partial<Composer>): void {
  const { composer } = state();
  if (composer) set({ composer: withoutCommand({ ...composer, ...changes }) });
}

/** Runs the command of a letter that was typed on a selection and that nothing followed. */
export function runLoneCommand(): void {
  const { composer } = state();
  if (!composer?.isTyped || !mayBeCommand(composer.text)) return;
  const { text: letter, anchor } = composer;
  if (!anchor) return;
  const types = { c: "comment", "!": "concern", r: "replace", i: "insert" } as const;
  const type = types[letter as keyof typeof types];
  set({ composer: undefined });
  if (type) startAnnotation(type, anchor);
  else if (letter === "d") addAtOnce("delete", anchor);
  else openLabels(anchor);
}

/** Takes a command's letter from the front of text that was begun by typing. */
function withoutCommand(composer: Composer): Composer {
  if (!composer.isTyped) return composer;
  const command = commandBefore(composer.text);
  if (!command) return composer;
  return { ...composer, ...command, isTyped: false };
}

/** Whether there is anything in the composer worth keeping. */
export function isWorthKeeping(composer: Composer): boolean {
  const { type, anchor, text, replacement, images } = composer;
  if (composer.isTyped && isLoneCommand(text) && images.length === 0) return false;
  if (text.trim() !== "" || images.length > 0 || type === "delete") return true;
  if (type === "insert") return replacement.trim() !== "";
  return (
    type === "replace" &&
    anchor !== undefined &&
    replacement !== state().document.source.slice(anchor.start, anchor.end)
  );
}

/** Keeps the note that is being written. */
export function saveComposer(): void {
  const { composer } = state();
  const kept = withOpenAnnotation();
  if (!composer || !kept) return;
  const { annotation, annotations } = kept;
  if (!isUnchanged(composer)) change(annotations);
  set({ composer: undefined, activeId: annotation.id });
  announce(`${typeNames[annotation.type]} saved`);
}

/** The note that is being written, and all notes with it in its place; undefined where nothing is worth keeping. */
function withOpenAnnotation() {
  const { composer, annotations } = state();
  if (!composer || !isWorthKeeping(composer)) return undefined;
  const existing = annotations.find(({ id }) => id === composer.editing);
  const annotation = create(composer, existing);
  const all = existing
    ? annotations.map((other) => (other === existing ? annotation : other))
    : [...annotations, annotation];
  return { annotation, annotations: all };
}

/** Every note there is, the one included that is still being written. */
export function allAnnotations(): readonly PlanAnnotation[] {
  return withOpenAnnotation()?.annotations ?? state().annotations;
}

/** Closes the composer and keeps what was written: Escape never discards words. */
export function leaveComposer(): void {
  const { composer } = state();
  if (!composer) return;
  // A kind that needs no words was chosen with a button of its own, and is not left behind by leaving.
  const isEmpty = composer.text.trim() === "" && composer.images.length === 0;
  if (isUnchanged(composer) || (composer.type === "delete" && isEmpty)) set({ composer: undefined });
  else saveComposer();
  set({ composer: undefined });
}

/** Closes the composer and discards what was written in it, with a way back. */
export function discardComposer(): void {
  const { composer } = state();
  if (!composer) return;
  set({ composer: undefined });
  if (isUnchanged(composer) || !isWorthKeeping(composer)) return;
  showToast(composer.editing ? "Changes discarded" : "Comment discarded", {
    action: {
      label: "Undo",
      run: () => {
        saveComposer();
        set({ composer });
      },
    },
  });
}

/** Whether the composer holds a note exactly as it is already. */
function isUnchanged({ editing, type, text, replacement, images }: Composer): boolean {
  const annotation = state().annotations.find(({ id }) => id === editing);
  return (
    annotation !== undefined &&
    annotation.type === type &&
    annotation.text === text.trim() &&
    (annotation.replacement ?? "") === replacement &&
    (annotation.images ?? NO_IMAGES) === images
  );
}

/** Opens the composer with a note that is there. */
export function editAnnotation(id: string): void {
  const annotation = state().annotations.find((other) => other.id === id);
  if (!annotation || state().composer?.editing === id) return;
  saveComposer();
  const { type, anchor, text, replacement = "", images = NO_IMAGES } = annotation;
  set({
    activeId: id,
    composer: { editing: id, type, text, replacement, images, ...(anchor && { anchor }) },
    ...shownBeneath(anchor),
  });
}

/** Deletes a note, with a way back. */
export function removeAnnotation(id: string): void {
  const { annotations, composer } = state();
  change(annotations.filter((annotation) => annotation.id !== id));
  set({ activeId: undefined, ...(composer?.editing === id && { composer: undefined }) });
  showToast("Comment deleted", { action: { label: "Undo", run: undo } });
}

/** Adds notes from elsewhere: a colleague's, or the last round's. Those already there are left alone. */
export function addAnnotations(added: readonly PlanAnnotation[]): number {
  const known = new Set(state().annotations.map(({ id }) => id));
  const fresh = added.filter(({ id }) => !known.has(id));
  if (fresh.length > 0) change([...state().annotations, ...fresh]);
  return fresh.length;
}

/** Takes back the last change to the notes. */
export function undo(): void {
  const before = past.pop();
  if (!before) return;
  set({ annotations: before, rewritten: undefined });
  announce("Undone");
}

/** Makes a note the active one, or none. */
export function activate(id: string | undefined): void {
  set({ activeId: id });
}

/** Makes a note the active one and shows its place in the plan. */
export function showInPlan({ id, anchor }: PlanAnnotation): void {
  set({ activeId: id, ...shownBeneath(anchor) });
}

/** Puts the keyboard on a block, or takes it away. */
export const setCursor = (cursor: number | undefined) => set({ cursor, removedCursor: undefined });

/** Shows the changes since a round, or since the plan was sent. */
export function showChangesSince(changesSince: number | "sent"): void {
  set({ changesSince });
  setView("changes");
}

/** Shows the plan, its source, what has changed since the last round, or the editor; what is typed is taken first. */
export function setView(view: View): void {
  if (view === state().view) return;
  const readingLine = lineBeingRead(state());
  takeTyped();
  set({ view, readingLine });
}

/** Shows the notes beside the plan, or hides them. */
export const toggleSidebar = () => set(({ isSidebarOpen }) => ({ isSidebarOpen: !isSidebarOpen }));
/** Keeps the words that go with the decision; a feedback that was edited as a whole gives way to them. */
export const setNote = (note: string) => set({ note, rewritten: undefined });
/** Keeps the feedback as the person has edited it as a whole; undefined goes back to what the notes make. */
export const setRewritten = (rewritten: string | undefined) => set({ rewritten });

/** Opens a dialog. One that decides takes the note along that is still being written: nobody means to leave it behind. */
export function openDialog(dialog: DialogName | undefined): void {
  if (dialog === "approve" || dialog === "request-changes") saveComposer();
  takeTyped();
  set({ dialog, labelTarget: undefined });
}

/** Shows another version of the plan and takes the notes along; a note whose text has gone keeps its old quote. */
export function setSource(source: string): void {
  const document = parseMarkdown(source);
  const { annotations, composer } = state();
  set({
    document,
    annotations: relocateAnnotations(document, annotations).map(({ annotation }) => annotation),
    composer: composer?.anchor
      ? { ...composer, anchor: relocateAnchor(document, composer.anchor) }
      : composer,
    typed: undefined,
    cursor: undefined,
    removedCursor: undefined,
    rewritten: undefined,
  });
}

/** Takes the person's edits out of the plan, with a way back: what was typed for minutes must not be lost by a click. */
export function revertEdits(): void {
  takeTyped();
  const edited = state().document.source;
  setSource(state().plan?.plan ?? edited);
  showToast("Your edits to the plan were reverted", {
    action: { label: "Undo", run: () => setSource(edited) },
  });
}

/** Keeps what is typed into the plan, key by key: reading the whole plan again takes too long for that. */
export function typeSource(typed: string): void {
  set({ typed, rewritten: undefined });
}

/** Makes what was typed the plan that is shown, for whoever needs more of it than its text. */
export function takeTyped(): void {
  const { typed, document } = state();
  if (typed === undefined) return;
  if (typed === document.source) set({ typed: undefined });
  else setSource(typed);
}

function change(annotations: readonly PlanAnnotation[]): void {
  past.push(state().annotations);
  if (past.length > 100) past.shift();
  // What was rewritten by hand was about the notes as they were.
  set({ annotations, rewritten: undefined });
}

function create(composer: Composer, existing?: PlanAnnotation): PlanAnnotation {
  const { type, anchor, text, replacement, images } = composer;
  const author = existing ? existing.author : state().author.trim();
  return {
    id: existing?.id ?? newId(),
    type,
    text: text.trim(),
    createdAt: existing?.createdAt ?? new Date().toISOString(),
    ...(author && { author }),
    ...(anchor && { anchor }),
    ...((type === "replace" || type === "insert") && { replacement }),
    ...(images.length > 0 && { images }),
  };
}
