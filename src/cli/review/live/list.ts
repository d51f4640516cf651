import type { ReviewEntry } from "../../../review/api-types.ts";
import { entryOf, listRunning } from "../../../review/live/running-files.ts";
import type { Output } from "../../output.ts";
import { dataFolder } from "./find-review.ts";

/** Runs `review list`: prints the reviews that are open on this machine, newest first. */
export async function listCommand({ json }: { readonly json: boolean }, output: Output): Promise<number> {
  const reviews = (await listRunning(dataFolder())).map(entryOf);
  if (json) await output.result(JSON.stringify({ reviews }));
  else if (reviews.length === 0) output.note("No review is open.");
  else await output.result(reviews.map(describe).join("\n"));
  return 0;
}

function describe({ id, mode, live, url, title, repository, agent, since }: ReviewEntry): string {
  const kind = `${live ? "live " : ""}${mode}`;
  return `${id}  ${url}  ${kind}  ${title}\n  ${repository}, for ${agent}, since ${since}`;
}
