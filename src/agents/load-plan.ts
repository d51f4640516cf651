import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { planInTranscript } from "./codex/hook.ts";
import type { PlanLocation } from "./decode-input.ts";

/** Where agents keep what their hooks only point at. */
export interface AgentFolders {
  readonly geminiPlans?: string;
  /** Copilot CLI's own folder, `~/.copilot` unless moved. */
  readonly copilot: string;
}

/** The plan's text and, where the agent goes by a file, its path; or why there is none, in words for the person. */
export type LoadedPlan = { readonly plan: string; readonly file?: string } | { readonly missing: string };

const NO_PLAN = "The agent asked for a review without sending a plan.";

/** Fetches the plan from where the agent left it. Never throws: the page says what is missing. */
export async function loadPlan(location: PlanLocation, folders: AgentFolders): Promise<LoadedPlan> {
  switch (location.in) {
    case "event":
      return { plan: location.text };
    case "nowhere":
      return { missing: NO_PLAN };
    case "gemini-plans":
      if (!folders.geminiPlans) return { missing: `${NO_PLAN} GEMINI_PLANS_DIR is not set.` };
      // The model chose the name: it may not lead out of the folder.
      return planFile(join(folders.geminiPlans, basename(location.filename)));
    case "copilot-session":
      return planFrom(join(folders.copilot, "session-state", basename(location.sessionId), "plan.md"));
    case "codex-transcript":
      return planFrom(location.path, (text) => planInTranscript(text, location.turnId));
  }
}

async function planFile(path: string): Promise<LoadedPlan> {
  const loaded = await planFrom(path);
  return "plan" in loaded ? { ...loaded, file: path } : loaded;
}

async function planFrom(
  path: string,
  extract: (text: string) => string | undefined = (text) => text,
): Promise<LoadedPlan> {
  try {
    const plan = extract(await readFile(path, "utf8"));
    return plan?.trim() ? { plan } : { missing: `There is no plan in ${path}.` };
  } catch {
    return { missing: `The plan could not be read from ${path}.` };
  }
}
