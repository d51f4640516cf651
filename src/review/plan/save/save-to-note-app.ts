import { spawn } from "node:child_process";
import { planTitle } from "../plan-title.ts";

/** The address that has Bear make a note. https://bear.app/faq/x-callback-url-scheme-documentation/#create */
export function noteAddress(plan: string): string {
  const title = encodeURIComponent(planTitle(plan));
  return `bear://x-callback-url/create?title=${title}&text=${encodeURIComponent(plan)}&tags=plan&open_note=no`;
}

/** Hands the plan to Bear, which exists on macOS only. Throws where it cannot be reached. */
export async function saveToNoteApp(
  plan: string,
  platform: NodeJS.Platform = process.platform,
): Promise<void> {
  if (platform !== "darwin") throw new Error("Bear exists on macOS only");
  // An argument list, never a shell: the plan's text stays text.
  const opener = spawn("open", ["-g", noteAddress(plan)], { stdio: "ignore" });
  const code = await new Promise((resolve, reject) => {
    opener.once("error", reject);
    opener.once("exit", resolve);
  });
  if (code !== 0) throw new Error("Bear could not be opened; is it installed?");
}
