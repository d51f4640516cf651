import { resolve } from "node:path";
import { dataDirectory, processEnvironment } from "../config/paths.ts";
import { qwenNotes } from "../review/hooks/qwen-code.ts";
import { planIdOf } from "../review/plan/plan-id.ts";
import { createRecordStore } from "../review/records/record-store.ts";
import type { Output } from "./output.ts";

/**
 * Prints what the person wrote when they approved this plan, for an agent whose approval has no words. Nothing where
 * they wrote nothing, or denied it on the page and then allowed it in the terminal. There is nothing to review here.
 */
export async function tellNotes(plan: string, output: Output): Promise<undefined> {
  const records = createRecordStore(resolve(dataDirectory(processEnvironment)));
  const decision = (await records.lastOn(planIdOf(plan)))?.decision;
  const notes = decision?.kind === "approve" ? qwenNotes(decision) : undefined;
  if (notes !== undefined) await output.result(notes);
}
