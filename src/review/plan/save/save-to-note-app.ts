import { spawn } from "node:child_process";
import { planTitle } from "../plan-title.ts";

/**
 * Returns the URL that makes Bear create a note. Source:
 * https://bear.app/faq/x-callback-url-scheme-documentation/#create
 */
export function noteAddress(plan: string): string {
  const title = encodeURIComponent(planTitle(plan));
  return `bear://x-callback-url/create?title=${title}&text=${encodeURIComponent(plan)}&tags=plan&open_note=no`;
}

/** Sends the plan to Bear. Rejects on systems other than macOS, and if Bear cannot be opened. */
export async function saveToNoteApp(
  plan: string,
  platform: NodeJS.Platform = process.platform,
): Promise<void> {
  if (platform !== "darwin") throw new Error("Bear exists on macOS only");
  // Runs without a shell, so that the plan's text cannot become a command.
  const opener = spawn("open", ["-g", noteAddress(plan)], { stdio: "ignore" });
  const code = await new Promise((resolve, reject) => {
    opener.once("error", reject);
    opener.once("exit", resolve);
  });
  if (code !== 0) throw new Error("Bear could not be opened; is it installed?");
}
