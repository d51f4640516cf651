import { resolve } from "node:path";
import { dataDirectory, processEnvironment } from "../../../config/paths.ts";
import { AppError } from "../../../errors.ts";
import { toRealPath } from "../../../files/real-path.ts";
import { listRunning, type RunningReview } from "../../../review/live/running-files.ts";
import { projectFolder } from "../../project-folder.ts";

/** Returns the absolute path of the data directory. */
export function dataFolder(): string {
  return resolve(dataDirectory(processEnvironment));
}

/**
 * Returns the live review with an id, or the only one of the repository of the working directory. Throws `usage` if
 * there is none, or if there are several.
 */
export async function findReview(id: string | undefined, cwd = process.cwd()): Promise<RunningReview> {
  const running = (await listRunning(dataFolder())).filter(({ live }) => live);
  if (id !== undefined) return running.find((review) => review.id === id) ?? noReview(id);
  const project = projectFolder(toRealPath(cwd));
  const own = running.filter(({ repository }) => toRealPath(repository) === project);
  const [only, ...more] = own;
  if (only && more.length === 0) return only;
  if (!only) {
    throw new AppError("usage", `No live review of ${project} is open`, {
      hint: "Start one with: sallyport review code --live --detach",
    });
  }
  const list = own.map((review) => `  --id ${review.id}  ${review.mode}, ${review.title}`).join("\n");
  throw new AppError("usage", `Several live reviews of ${project} are open:\n${list}`, {
    hint: "Name one of them with --id.",
  });
}

function noReview(id: string): never {
  throw new AppError("usage", `No live review has the id "${id}"`, {
    hint: "Run: sallyport review list. Start a review with --live.",
  });
}
