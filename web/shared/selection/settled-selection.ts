/** Milliseconds without a change after which a selection is settled: handles on a touch screen move it step by step. */
const SETTLED_MS = 200;

interface SelectionListener {
  /** Text is selected, and neither pointer nor key is changing that. */
  readonly onSettled: () => void;
  /** Nothing is selected any more. */
  readonly onCleared: () => void;
}

/**
 * Follows the selection, whatever makes it: a mouse, keys, the handles of a touch screen, which send nothing but
 * `selectionchange`, or assistive technology. Returns the way to stop.
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
    // A tap moves the caret; that clears nothing.
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
