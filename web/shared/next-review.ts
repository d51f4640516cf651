/**
 * Goes on to the review that answers at this address now. The tab may be in the background: until it is looked at, its title
 * says that something new is there.
 */
export function showNextReview(): void {
  location.reload();
}

/** Sets the page's title, marked as new for as long as nobody has seen the tab. */
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
