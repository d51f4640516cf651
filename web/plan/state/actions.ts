import { parseMarkdown } from "../../../src/render/markdown/parse/parse-markdown.ts";
import type { AttachedImage, PlanAnchor, PlanAnnotation } from "../../../src/review/api-types.ts";
import { announce, showToast } from "../../shared/components/toast.tsx";
import { commandBefore, isLoneCommand, mayBeCommand } from "../../shared/keyboard/first-key.ts";
import { newId } from "../../shared/new-id.ts";
import { lineBeingRead } from "../dom/reading-position.ts";
import { type AnnotationType, relocateAnchor, relocateAnnotations, typeNames } from "../model/annotations.ts";
import { composeAgain } from "./edited-feedback.ts";
import { forgetInVersions, storeVersion, takeVersion } from "./history.ts";
import { type Composer, type DialogName, useReview, type View } from "./review-store.ts";

const { getState: state, setState: set } = useReview;
const NO_IMAGES: readonly AttachedImage[] = [];

/**
 * Opens the composer for a new annotation on an anchor or on the whole plan. Keeps the content of an open new
 * annotation on the same text, and first saves any other open annotation.
 */
export function startAnnotation(type: AnnotationType, anchor?: PlanAnchor, typed = ""): void {
  const open = state().composer;
  const isSame = open !== undefined && !open.editing && isSameStretch(open.anchor, anchor);
  if (!isSame) saveComposer();
  const kept = isSame ? { text: open.text + typed, images: open.images } : { text: typed, images: [] };
  const replacement =
    type === "replace" && anchor ? state().document.source.slice(anchor.start, anchor.end) : "";
  const composer = { ...kept, type, replacement, isTyped: typed !== "", anchor };
  set({ composer, ...sidebarStateFor(anchor) });
}

function isSameStretch(a: PlanAnchor | undefined, b: PlanAnchor | undefined): boolean {
  return a?.start === b?.start && a?.end === b?.end;
}

/** Returns the state that closes the sidebar for an annotation on text, which the sidebar covers in narrow windows. */
function sidebarStateFor(anchor: PlanAnchor | undefined) {
  return anchor ? { isSidebarOpen: false } : {};
}

/** Adds a deletion or a quick label without opening the composer. Offers to undo this. */
export function addAtOnce(type: "delete" | "label", anchor: PlanAnchor, text = ""): void {
  const annotation = create({ type, anchor, text, replacement: "", images: [] });
  change([...state().annotations, annotation]);
  set({ activeId: annotation.id });
  showToast(type === "delete" ? "Marked for removal" : `Added label “${text}”`, {
    action: { label: "Undo", run: undo },
  });
}

export const openLabels = (anchor: PlanAnchor) => set({ labelTarget: anchor, ...sidebarStateFor(anchor) });
export const closeLabels = () => set({ labelTarget: undefined });

/** Updates the open composer, if any. */
export function updateComposer(changes: Partial<Composer>): void {
  const { composer } = state();
  if (composer) set({ composer: withoutCommand({ ...composer, ...changes }) });
}

/** Runs the command of a single character that was typed on a selection. */
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

/** Removes a command character from the start of typed text, and sets the type to that of the command. */
function withoutCommand(composer: Composer): Composer {
  if (!composer.isTyped) return composer;
  const command = commandBefore(composer.text);
  if (!command) return composer;
  return { ...composer, ...command, isTyped: false };
}

/** Returns whether the composer has content to keep. */
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

/** Saves the annotation that is being written and closes the composer. Does nothing without content to keep. */
export function saveComposer(): void {
  const { composer } = state();
  const kept = withOpenAnnotation();
  if (!composer || !kept) return;
  const { annotation, annotations } = kept;
  if (!isUnchanged(composer)) change(annotations);
  set({ composer: undefined, activeId: annotation.id });
  announce(`${typeNames[annotation.type]} saved`);
}

/** Returns the open annotation and all annotations including it, or undefined if it has no content. */
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

/** Returns all annotations, including the one that is being written. */
export function allAnnotations(): readonly PlanAnnotation[] {
  return withOpenAnnotation()?.annotations ?? state().annotations;
}

/** Closes the composer and keeps its content. */
export function leaveComposer(): void {
  const { composer } = state();
  if (!composer) return;
  // A deletion without text is added with its own button, so closing the composer drops it.
  const isEmpty = composer.text.trim() === "" && composer.images.length === 0;
  if (isUnchanged(composer) || (composer.type === "delete" && isEmpty)) set({ composer: undefined });
  else saveComposer();
  set({ composer: undefined });
}

/** Closes the composer, discards its content, and offers to undo this. */
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

/** Returns whether the composer has no changes to the annotation that it edits. */
export function isUnchanged({ editing, type, text, replacement, images }: Composer): boolean {
  const annotation = state().annotations.find(({ id }) => id === editing);
  return (
    annotation !== undefined &&
    annotation.type === type &&
    annotation.text === text.trim() &&
    (annotation.replacement ?? "") === replacement &&
    (annotation.images ?? NO_IMAGES) === images
  );
}

/** Opens an existing annotation in the composer. */
export function editAnnotation(id: string): void {
  const annotation = state().annotations.find((other) => other.id === id);
  if (!annotation || state().composer?.editing === id) return;
  saveComposer();
  set({ activeId: id, composer: composerFor(annotation), ...sidebarStateFor(annotation.anchor) });
}

/** Returns a composer that edits an annotation. */
export function composerFor(annotation: PlanAnnotation): Composer {
  const { id, type, anchor, text, replacement = "", images = NO_IMAGES } = annotation;
  return { editing: id, type, text, replacement, images, anchor };
}

/** Removes an annotation that the server has stored as a thread. */
export function forgetAnnotation(id: string): void {
  set((before) => ({
    annotations: before.annotations.filter((annotation) => annotation.id !== id),
    ...composeAgain(before),
  }));
  forgetInVersions(id);
}

/** Deletes an annotation, and offers to undo this. */
export function removeAnnotation(id: string): void {
  const { annotations, composer } = state();
  change(annotations.filter((annotation) => annotation.id !== id));
  set({ activeId: undefined, ...(composer?.editing === id && { composer: undefined }) });
  showToast("Comment deleted", { action: { label: "Undo", run: undo } });
}

/** Adds annotations, without those whose ids are known. Returns the number of added annotations. */
export function addAnnotations(added: readonly PlanAnnotation[]): number {
  const known = new Set(state().annotations.map(({ id }) => id));
  const fresh = added.filter(({ id }) => !known.has(id));
  if (fresh.length > 0) change([...state().annotations, ...fresh]);
  return fresh.length;
}

/** Undoes the last change to the annotations. */
export function undo(): void {
  const before = takeVersion();
  if (!before) return;
  set({ annotations: before, ...composeAgain(state()) });
  announce("Undone");
}

/** Sets or clears the active annotation. */
export function activate(id: string | undefined): void {
  set({ activeId: id });
}

/** Activates an annotation and scrolls the plan to it. */
export function showInPlan({ id, anchor }: PlanAnnotation): void {
  set({ activeId: id, ...sidebarStateFor(anchor) });
}

/** Sets the cursor to a block, or clears it. */
export const setCursor = (cursor: number | undefined) => set({ cursor, removedCursor: undefined });

/** Shows the changes since a round, or since the plan was sent. */
export function showChangesSince(changesSince: number | "sent"): void {
  set({ changesSince });
  setView("changes");
}

/** Shows the plan, its source, the changes or the editor. First applies the typed text. */
export function setView(view: View): void {
  if (view === state().view) return;
  const readingLine = lineBeingRead(state());
  applyTypedText();
  set({ view, readingLine });
}

export const toggleSidebar = () => set(({ isSidebarOpen }) => ({ isSidebarOpen: !isSidebarOpen }));

/** Opens a dialog; undefined closes it. Applies typed text; decision dialogs first save the open annotation. */
export function openDialog(dialog: DialogName | undefined): void {
  if (dialog === "approve" || dialog === "request-changes") saveComposer();
  applyTypedText();
  set({ dialog, labelTarget: undefined });
}

/** Shows another version of the plan and relocates the annotations. */
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
    ...composeAgain(state()),
  });
}

/** Stores the typed text without parsing it, which takes too long for every key press. */
export function typeSource(typed: string): void {
  set((before) => ({ typed, ...composeAgain(before) }));
}

/** Parses the typed text and shows it as the plan. */
export function applyTypedText(): void {
  const { typed, document } = state();
  if (typed === undefined) return;
  if (typed === document.source) set({ typed: undefined });
  else setSource(typed);
}

function change(annotations: readonly PlanAnnotation[]): void {
  storeVersion(state().annotations);
  set((before) => ({ annotations, ...composeAgain(before) }));
}

function create(composer: Composer, existing?: PlanAnnotation): PlanAnnotation {
  const { type, anchor, text, replacement, images } = composer;
  const author = existing ? existing.author : state().author.trim();
  return {
    id: existing?.id ?? newId(),
    type,
    text: text.trim(),
    createdAt: existing?.createdAt ?? new Date().toISOString(),
    author: author || undefined,
    anchor,
    ...((type === "replace" || type === "insert") && { replacement }),
    ...(images.length > 0 && { images }),
  };
}
