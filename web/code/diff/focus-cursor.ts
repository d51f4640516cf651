/** Gives the focus to the row the keyboard stands on, so that it is read out; never takes it from a text field. */
export function focusCursor(): void {
  requestAnimationFrame(() => {
    if (document.activeElement?.closest("input, textarea, select, dialog")) return;
    document.querySelector<HTMLElement>(".row-cursor")?.focus({ preventScroll: true });
  });
}
