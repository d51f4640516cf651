import { showToast } from "./components/toast.tsx";
import { writeClipboard } from "./write-clipboard.ts";

/** Puts a text on the clipboard and says so with `message`, or that it cannot be done. */
export async function copyAndReport(text: string, message: string): Promise<void> {
  if (await copyText(text)) showToast(message);
}

/** Puts a text on the clipboard; resolves to whether it is there, and tells the person where it is not. */
export async function copyText(text: string): Promise<boolean> {
  const isThere = await writeClipboard(text);
  if (!isThere) showToast("The browser did not allow copying", { tone: "danger" });
  return isThere;
}
