/**
 * Copies text to the clipboard. Resolves to whether copying has succeeded. A page loaded over plain HTTP from
 * another machine has no Clipboard API but can copy selected text.
 */
export async function writeClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text);
  }
}

/** Copies through a text field. Adds the field to the open modal dialog, if any: the rest of the page is inert. */
function copySelected(text: string): boolean {
  const before = document.activeElement;
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "visually-hidden";
  (document.querySelector("dialog[open]") ?? document.body).append(field);
  field.select();
  const isDone = document.execCommand("copy");
  field.remove();
  if (before instanceof HTMLElement) before.focus();
  return isDone;
}
