/** Resolves once what has been rendered is on the screen: the time for what can wait. */
export function afterPaint(): Promise<void> {
  return new Promise((resolve) => {
    // A tab in the background paints nothing.
    if (document.hidden) return resolve();
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, 1_000);
  });
}
