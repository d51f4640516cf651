import { existsSync } from "node:fs";
import { configFile, type Environment } from "../paths.ts";

/** What holds for reviews where flags, environment and the person's own choices say nothing. */
export interface ReviewConfiguration {
  readonly sharing: boolean;
  /** `none` opens nothing. */
  readonly browser?: string;
  /** Users of this machine that may use a review besides its own, by uid. */
  readonly allowed_uids?: readonly number[];
  readonly plan_save: {
    readonly enabled: boolean;
    /** Absolute, or beginning with `~/`. */
    readonly folder?: string;
  };
}

/** What holds where there is no configuration file. */
export const REVIEW_DEFAULTS = { sharing: true, plan_save: { enabled: true } } as const;

/**
 * The `review` section of the configuration file, defaults filled in. The file is read, and what reads it loaded, only
 * where it is there, as most people have none. Throws `configuration` naming file, line and key.
 */
export async function loadReviewConfiguration(environment: Environment): Promise<ReviewConfiguration> {
  const path = configFile(environment);
  const isNamed = Boolean(environment["SERVICE_CONFIG"]);
  if (!isNamed && !existsSync(path)) return REVIEW_DEFAULTS;
  const { readReviewConfiguration } = await import("./section.ts");
  return readReviewConfiguration(path, isNamed);
}
