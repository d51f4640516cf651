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

/** Returns whether a finger touched the page last: there is no hovering, and the system draws over selected text. */
export function isTouched(): boolean {
  return pointerType === "touch";
}
