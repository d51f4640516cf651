import { resolve } from "node:path";
import { dataDirectory, homeOf, processEnvironment } from "../config/paths.ts";
import type { ReviewFlags } from "./program.ts";
import { projectFolder } from "./project-folder.ts";
import { type ReviewCommandSettings, reviewSettings } from "./review-settings.ts";

/** Where a review takes place: folders and settings, all known before anything starts. */
export interface Workplace {
  readonly settings: ReviewCommandSettings;
  /** Absolute; where the agent works. */
  readonly cwd: string;
  /** The repository around it, else the same. */
  readonly project: string;
  readonly home: string;
  readonly dataDirectory: string;
  /** Where programs keep their configuration, where the system names a place. */
  readonly configHome?: string;
}

/** `cwd` is the agent's folder where the input names one. Throws `usage` for flags or variables that are wrong. */
export function workplaceOf(flags: ReviewFlags, cwd?: string): Workplace {
  const place = resolve(cwd ?? ".");
  const configHome = processEnvironment[process.platform === "win32" ? "APPDATA" : "XDG_CONFIG_HOME"];
  return {
    settings: reviewSettings(flags, processEnvironment),
    cwd: place,
    project: projectFolder(place),
    home: homeOf(processEnvironment),
    dataDirectory: resolve(dataDirectory(processEnvironment)),
    ...(configHome ? { configHome } : {}),
  };
}
