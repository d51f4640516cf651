import { resolve } from "node:path";
import { dataDirectory, processEnvironment } from "../../config/paths.ts";
import { AppError } from "../../errors.ts";
import { createRecordStore } from "../../review/records/record-store.ts";
import type { Output } from "../output.ts";

/**
 * `sallyport review last [--json]`: prints the last decision on record as its agent was to read it, for when the
 * agent had gone by then. Throws `not_found` where there is none.
 */
export async function reviewLast({ json }: { readonly json: boolean }, output: Output): Promise<number> {
  const folder = resolve(dataDirectory(processEnvironment));
  const record = await createRecordStore(folder).last();
  if (!record) {
    throw new AppError("not_found", "No decision is on record yet", {
      hint: `Decisions are kept in ${folder}.`,
    });
  }
  output.note(`Decided ${record.decidedAt} on "${record.title}" for ${record.caller} in ${record.cwd}`);
  await output.result(json ? JSON.stringify(record.json) : record.text);
  return 0;
}
