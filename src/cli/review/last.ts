import { resolve } from "node:path";
import { dataDirectory, processEnvironment } from "../../config/paths.ts";
import { AppError } from "../../errors.ts";
import { toRealPath } from "../../files/real-path.ts";
import { createRecordStore, type DecisionRecord } from "../../review/storage/records.ts";
import type { Output } from "../output.ts";
import { projectFolder } from "../project-folder.ts";

export interface ReviewLastFlags {
  readonly json: boolean;
  /** Whether to include the decisions of all projects. */
  readonly all: boolean;
}

/**
 * Runs `sallyport review last [--all] [--json]`: prints the last decision on the project of the working directory, or
 * on any project, as text for the agent or as JSON. Throws `not_found` if there is no decision.
 */
export async function reviewLast({ json, all }: ReviewLastFlags, output: Output): Promise<number> {
  const folder = resolve(dataDirectory(processEnvironment));
  const records = createRecordStore(folder);
  const project = toRealPath(projectFolder(process.cwd()));
  const record = await records.last((each) => all || getProject(each) === project);
  if (!record) throw await nothingFound(project, folder, await records.last());
  const by = record.from === "program" ? " by a program, not on the page," : "";
  output.note(`Decided ${record.decidedAt}${by} on "${record.title}" for ${record.caller} in ${record.cwd}`);
  await output.result(json ? JSON.stringify(record.json) : record.text);
  return 0;
}

async function nothingFound(
  project: string,
  folder: string,
  elsewhere: DecisionRecord | undefined,
): Promise<AppError> {
  if (!elsewhere)
    return new AppError("not_found", "No decision is recorded yet", {
      hint: `Decisions are stored in ${folder}.`,
    });
  return new AppError("not_found", `No decision on ${project} is recorded`, {
    hint: `The last decision is on ${getProject(elsewhere)}. Run the command there, or use --all.`,
  });
}

function getProject({ project, cwd }: DecisionRecord): string {
  return toRealPath(project ?? projectFolder(cwd));
}
