/** Resolves once what has been rendered is on the screen: the time for what can wait. */
export function afterPaint(): Promise<void> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
    // A tab in the background paints nothing.
    setTimeout(resolve, 1_000);
  });
}
