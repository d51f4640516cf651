import { resolve } from "node:path";
import { baseDirectory, dataDirectory, homeOf, processEnvironment } from "../../config/paths.ts";
import { loadReviewConfiguration, type ReviewConfiguration } from "../../config/review/configuration.ts";
import type { ReviewSettings } from "../../review/api-types.ts";
import { projectFolder } from "../project-folder.ts";
import type { ReviewFlags } from "./program.ts";
import { type ReviewCommandSettings, reviewSettings } from "./settings.ts";

/** Where a review takes place: folders and settings, all known before anything starts. */
export interface Workplace {
  readonly settings: ReviewCommandSettings;
  /** Absolute; where the agent works. */
  readonly cwd: string;
  /** What holds where the person has chosen nothing in the page. */
  readonly planSave: ReviewSettings["planSave"];
  /** The repository around it, else the same. */
  readonly project: string;
  readonly home: string;
  readonly dataDirectory: string;
  /** Where programs keep their configuration, where the system names a place. */
  readonly configHome?: string;
}

/** `cwd` is the agent's folder where the input names one. Throws `usage` or `configuration` for what is wrong. */
export async function workplaceOf(flags: ReviewFlags, cwd?: string): Promise<Workplace> {
  const place = resolve(cwd ?? ".");
  const configuration = await loadReviewConfiguration(processEnvironment);
  const configHome =
    process.platform === "win32"
      ? processEnvironment["APPDATA"]
      : baseDirectory(processEnvironment, "XDG_CONFIG_HOME");
  return {
    settings: reviewSettings(flags, processEnvironment, configuration),
    planSave: planSaveOf(configuration),
    cwd: place,
    project: projectFolder(place),
    home: homeOf(processEnvironment),
    dataDirectory: resolve(dataDirectory(processEnvironment)),
    ...(configHome ? { configHome } : {}),
  };
}

function planSaveOf({ plan_save: { enabled, folder } }: ReviewConfiguration): ReviewSettings["planSave"] {
  return folder === undefined ? { enabled } : { enabled, customPath: folder };
}
