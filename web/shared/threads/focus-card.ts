/** Moves the focus to a thread, so that keys act on it. Call it if the element that has the focus may be removed. */
export function focusCard(id: string): void {
  document.querySelector<HTMLElement>(`[data-thread="${CSS.escape(id)}"]`)?.focus({ preventScroll: true });
}
