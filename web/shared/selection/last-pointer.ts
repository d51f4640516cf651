let pointerType = "mouse";

if (typeof document !== "undefined") {
  document.addEventListener(
    "pointerdown",
    (event) => {
      pointerType = event.pointerType;
    },
    { capture: true },
  );
}

/**
 * Returns whether the last pointer was a touch. A touch cannot hover, and after a touch the system shows its own
 * toolbar above a selection.
 */
export function isTouched(): boolean {
  return pointerType === "touch";
}
