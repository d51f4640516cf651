import type { Environment } from "../../config/paths.ts";
import type { ReviewConfiguration } from "../../config/review/configuration.ts";
import {
  portOf,
  REMOTE_PORT,
  type ReviewEnvironment,
  readReviewEnvironment,
} from "../../config/review/environment.ts";
import { AppError } from "../../errors.ts";
import type { AgentOrigin } from "../../review/api-types.ts";
import { ORIGIN_NAMES, originNamed } from "../../review/origin-names.ts";
import type { ReviewFlags } from "./program.ts";

/** What a timer can hold: 24 days. */
const LONGEST_TIMEOUT = 2_147_483;

/** Flags over environment over configuration, in the shape a review wants. */
export interface ReviewCommandSettings {
  readonly environment: ReviewEnvironment;
  /** Undefined: any free port. */
  readonly port?: number;
  readonly host?: string;
  /** Users of this machine that may use the review besides its own, by uid. */
  readonly allowedUids?: readonly number[];
  readonly origin?: AgentOrigin;
  readonly timeout?: number;
  /** Seconds after which nobody waits any more: the command's own limit or the caller's, whichever comes first. */
  readonly patience?: number;
}

/** Throws `usage` for a flag or variable that cannot be meant. */
export function reviewSettings(
  flags: ReviewFlags,
  variables: Environment,
  configuration: Pick<ReviewConfiguration, "sharing" | "browser" | "allowed_uids">,
): ReviewCommandSettings {
  const { allowed_uids: allowedUids } = configuration;
  const environment = configured(readReviewEnvironment(variables), configuration);
  const port =
    portOf(flags.port, "--port") ?? environment.port ?? (environment.remote ? REMOTE_PORT : undefined);
  const host = flags.host?.trim() || environment.host;
  const origin = originOf(flags.origin, "--origin") ?? originOf(environment.origin, "SERVICE_ORIGIN");
  const timeout = secondsOf(flags.timeout, "--timeout");
  const limits = [timeout, secondsOf(flags.callerWaits, "--caller-waits")].filter(
    (limit) => limit !== undefined,
  );
  return {
    environment,
    ...(port === undefined ? {} : { port }),
    ...(host === undefined ? {} : { host }),
    ...(allowedUids === undefined ? {} : { allowedUids }),
    ...(origin === undefined ? {} : { origin }),
    ...(timeout === undefined ? {} : { timeout }),
    ...(limits.length === 0 ? {} : { patience: Math.min(...limits) }),
  };
}

/** The environment goes before the file; either can switch sharing off. */
function configured(
  environment: ReviewEnvironment,
  { sharing, browser }: Pick<ReviewConfiguration, "sharing" | "browser">,
): ReviewEnvironment {
  const program = environment.browser ?? browser;
  return {
    ...environment,
    sharing: environment.sharing && sharing,
    ...(program === undefined ? {} : { browser: program }),
  };
}

function originOf(text: string | undefined, name: string): AgentOrigin | undefined {
  if (text === undefined) return undefined;
  const origin = originNamed(text);
  if (origin) return origin;
  throw new AppError("usage", `${name} must be ${ORIGIN_NAMES}, got "${text}"`);
}

/** The time limit before anything else is known; a text that is none is for `reviewSettings` to refuse. */
export function timeLimitOf({ timeout }: Pick<ReviewFlags, "timeout">): number | undefined {
  return timeout === undefined ? undefined : secondsIn(timeout);
}

function secondsIn(text: string): number | undefined {
  const seconds = Number(text);
  return /^\d+(\.\d+)?$/.test(text) && seconds > 0 && seconds <= LONGEST_TIMEOUT ? seconds : undefined;
}

function secondsOf(text: string | undefined, flag: string): number | undefined {
  if (text === undefined) return undefined;
  const seconds = secondsIn(text);
  if (seconds !== undefined) return seconds;
  throw new AppError("usage", `${flag} must be a number of seconds above 0, got "${text}"`, {
    hint: "Leave it out to wait as long as it takes.",
  });
}
