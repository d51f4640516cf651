import { readFile } from "node:fs/promises";
import type { PlanLocation } from "./hook.ts";

/**
 * The plan's text and, if the agent reads the file again, its path; or why the plan is missing, as a message for the
 * person.
 */
export type LoadedPlan =
  | { readonly plan: string; readonly file?: string | undefined }
  | { readonly missing: string };

const NO_PLAN = "The agent asked for a review without sending a plan.";

/** Reads the plan from its location. Never throws: the page shows what is missing. */
export async function loadPlan(location: PlanLocation): Promise<LoadedPlan> {
  if (location.in === "event") return { plan: location.text };
  if (location.in === "nowhere")
    return { missing: location.reason === undefined ? NO_PLAN : `${NO_PLAN} ${location.reason}` };
  const { path, extract, isReadAgain } = location;
  try {
    const text = await readFile(path, "utf8");
    const plan = extract ? await extract(text) : text;
    if (!plan?.trim()) return { missing: `There is no plan in ${path}.` };
    return isReadAgain ? { plan, file: path } : { plan };
  } catch {
    return { missing: `The plan could not be read from ${path}.` };
  }
}
