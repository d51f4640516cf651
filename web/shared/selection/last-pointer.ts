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

/** Returns whether the last pointer was a touch. It cannot hover and shows the system's toolbar above a selection. */
export function isTouched(): boolean {
  return pointerType === "touch";
}
