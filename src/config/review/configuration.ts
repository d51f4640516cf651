import { existsSync } from "node:fs";
import { configFile, type Environment } from "../paths.ts";

/** Settings of reviews in the configuration file. */
export interface ReviewConfiguration {
  readonly sharing: boolean;
  /** The program that opens the page; `none`: no program. */
  readonly browser?: string;
  /** Uids of other users of this machine that may use a review. */
  readonly allowed_uids?: readonly number[];
  /** The model that answers questions on the page; absent if none is configured. */
  readonly ask?: {
    readonly base_url: string;
    readonly model: string;
    readonly api_key_env?: string;
  };
  readonly plan_save: {
    readonly enabled: boolean;
    /** The folder for copies of decided plans: absolute, or beginning with `~/`. */
    readonly folder?: string;
  };
}

/** The settings without a configuration file. */
export const REVIEW_DEFAULTS = { sharing: true, plan_save: { enabled: true } } as const;

/**
 * Loads the `review` section of the configuration file with defaults. The parser is loaded only if the file exists or
 * `SERVICE_CONFIG` names it. Throws `configuration` if the file cannot be read or is invalid.
 */
export async function loadReviewConfiguration(environment: Environment): Promise<ReviewConfiguration> {
  const path = configFile(environment);
  const isNamed = Boolean(environment["SERVICE_CONFIG"]);
  if (!isNamed && !existsSync(path)) return REVIEW_DEFAULTS;
  const { readReviewConfiguration } = await import("./section.ts");
  return readReviewConfiguration(path, isNamed);
}
