import { showToast } from "./components/toast.tsx";
import { writeClipboard } from "./write-clipboard.ts";

/** Copies text to the clipboard and shows `message`, or an error. */
export async function copyAndReport(text: string, message: string): Promise<void> {
  if (await copyText(text)) showToast(message);
}

/** Copies text to the clipboard. Resolves to false, and shows an error, if the browser blocks copying. */
export async function copyText(text: string): Promise<boolean> {
  const isThere = await writeClipboard(text);
  if (!isThere)
    showToast("The browser blocked copying. Select the text and press Ctrl+C.", { tone: "danger" });
  return isThere;
}
