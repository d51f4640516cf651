import { writeClipboard } from "../shared/write-clipboard.ts";

const SHOWN_MS = 1_500;

/** Has every button with `data-copy` copy that text, and say so for a moment: on itself, and to `said` for who cannot see it. */
export function copyOnClick(place: HTMLElement, said: Element | null): void {
  place.addEventListener("click", async ({ target }) => {
    const button = target instanceof Element ? target.closest<HTMLElement>("[data-copy]") : null;
    if (!button) return;
    const isCopied = await writeClipboard(button.dataset["copy"] ?? "");
    if (!isCopied) selectBeside(button);
    const outcome = isCopied ? "Copied" : "Press Ctrl+C";
    button.textContent = outcome;
    if (said) said.textContent = outcome;
    setTimeout(() => {
      button.textContent = "Copy";
      if (said) said.textContent = "";
    }, SHOWN_MS);
  });
}

/** For the person to copy. */
function selectBeside(button: HTMLElement): void {
  const code = button.parentElement?.querySelector("code");
  if (code) getSelection()?.selectAllChildren(code);
}
