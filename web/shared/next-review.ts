/** Loads the next review at this address. */
export function showNextReview(): void {
  location.reload();
}

/** Sets the page's title, marked as new until the tab is viewed. */
export function setTitle(title: string): void {
  document.title = document.hidden ? `● ${title}` : title;
  if (!document.hidden) return;
  const onSeen = () => {
    if (document.hidden) return;
    document.title = title;
    document.removeEventListener("visibilitychange", onSeen);
  };
  document.addEventListener("visibilitychange", onSeen);
}
