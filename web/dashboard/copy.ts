const SHOWN_MS = 1_500;

/** Has every button with `data-copy` copy that text, and say so for a moment. */
export function copyOnClick(place: HTMLElement): void {
  place.addEventListener("click", async ({ target }) => {
    const button = target instanceof Element ? target.closest<HTMLElement>("[data-copy]") : null;
    if (!button) return;
    const said = await write(button).then(
      () => "Copied",
      () => "Press Ctrl+C",
    );
    button.textContent = said;
    setTimeout(() => {
      button.textContent = "Copy";
    }, SHOWN_MS);
  });
}

/** Without a secure context there is no clipboard: then the text is selected, for the person to copy. */
async function write(button: HTMLElement): Promise<void> {
  const text = button.dataset["copy"] ?? "";
  try {
    await navigator.clipboard.writeText(text);
  } catch (error) {
    const code = button.parentElement?.querySelector("code");
    if (code) getSelection()?.selectAllChildren(code);
    throw error;
  }
}
