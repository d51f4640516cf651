/** Moves all unwrapped code sideways together, by wheel or trackpad: the headers and numbers stay. */
export function scrollSideways(element: HTMLElement): () => void {
  let offset = 0;
  const onWheel = (event: WheelEvent) => {
    const delta = event.shiftKey && event.deltaX === 0 ? event.deltaY : event.deltaX;
    if (delta === 0 || element.querySelector(".rows.wrap")) return;
    event.preventDefault();
    const widest = Math.max(
      0,
      ...[...element.querySelectorAll(".code-text")].map((code) => code.scrollWidth),
    );
    const seen = element.querySelector(".code")?.clientWidth ?? 0;
    offset = Math.min(Math.max(0, widest - seen + 40), Math.max(0, offset + delta));
    element.style.setProperty("--sideways", `${-offset}px`);
  };
  element.addEventListener("wheel", onWheel, { passive: false });
  return () => element.removeEventListener("wheel", onWheel);
}
