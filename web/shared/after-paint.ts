/** Resolves after the rendered content is painted, after at most 1 s, or immediately in a hidden page. */
export function afterPaint(): Promise<void> {
  return new Promise((resolve) => {
    // A background tab does not paint.
    if (document.hidden) return resolve();
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, 1_000);
  });
}
