/**
 * Milliseconds without a change after which a selection is settled. On a touch screen, dragging a handle
 * changes the selection in steps.
 */
const SETTLED_MS = 200;

interface SelectionListener {
  /** Called when text is selected and neither pointer nor keys are changing it. */
  readonly onSettled: () => void;
  /** Called when the selection is cleared. */
  readonly onCleared: () => void;
}

/**
 * Tracks text selection by mouse, touch, keys or assistive technology. The handles of a touch screen send only
 * `selectionchange`. Returns a function that removes the listeners.
 */
export function followSelection({ onSettled, onCleared }: SelectionListener): () => void {
  let isMouseDown = false;
  let isSelected = getSelection()?.isCollapsed === false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const settle = () => {
    clearTimeout(timer);
    if (getSelection()?.isCollapsed === false) onSettled();
  };
  const onChange = () => {
    clearTimeout(timer);
    const wasSelected = isSelected;
    isSelected = getSelection()?.isCollapsed === false;
    // A tap without a selection moves the caret and clears nothing.
    if (!isSelected && wasSelected) onCleared();
    else if (isSelected && !isMouseDown) timer = setTimeout(settle, SETTLED_MS);
  };
  const onDown = ({ pointerType }: PointerEvent) => {
    isMouseDown = pointerType === "mouse";
  };
  const onUp = () => {
    isMouseDown = false;
    settle();
  };
  document.addEventListener("selectionchange", onChange);
  document.addEventListener("pointerdown", onDown);
  document.addEventListener("pointerup", onUp);
  document.addEventListener("pointercancel", onUp);
  document.addEventListener("keyup", settle);
  return () => {
    clearTimeout(timer);
    document.removeEventListener("selectionchange", onChange);
    document.removeEventListener("pointerdown", onDown);
    document.removeEventListener("pointerup", onUp);
    document.removeEventListener("pointercancel", onUp);
    document.removeEventListener("keyup", settle);
  };
}
