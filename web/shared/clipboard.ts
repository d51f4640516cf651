import { showToast } from "./components/toast.tsx";

/** Puts a text on the clipboard and says so with `said`, or that it cannot be done. */
export async function copyAndSay(text: string, said: string): Promise<void> {
  if (await copyText(text)) showToast(said);
}

/**
 * Puts a text on the clipboard; resolves to whether it is there, and tells the person where it is not. A page that came
 * over plain HTTP from another machine has no clipboard of its own, but may still copy what is selected.
 */
export async function copyText(text: string): Promise<boolean> {
  const isThere = await write(text);
  if (!isThere) showToast("The browser did not allow copying", { tone: "danger" });
  return isThere;
}

async function write(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text);
  }
}

/** A modal dialog keeps the rest of the page from being selected: the field then stands in it. */
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
