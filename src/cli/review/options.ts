import { resolve } from "node:path";
import {
  baseDirectory,
  dataDirectory,
  type Environment,
  getHomeDirectory,
  processEnvironment,
} from "../../config/paths.ts";
import { loadReviewConfiguration, type ReviewConfiguration } from "../../config/review/configuration.ts";
import { currentVariables } from "../../config/review/current-variables.ts";
import {
  parsePort,
  REMOTE_PORT,
  type ReviewEnvironment,
  readReviewEnvironment,
} from "../../config/review/environment.ts";
import { AppError } from "../../errors.ts";
import { createOutboundFetch } from "../../http/outbound-fetch.ts";
import type { AgentOrigin, ReviewSettings } from "../../review/api-types.ts";
import type { AskTarget } from "../../review/ask/ask-target.ts";
import { ORIGIN_NAMES, originNamed } from "../../review/origin-names.ts";
import { projectFolder } from "../project-folder.ts";
import type { LiveFlags, ReviewFlags } from "./program.ts";
import { tailnetAddress } from "./tailnet.ts";

/** The longest delay that a timer accepts, in seconds: almost 25 days. */
const MAX_TIMEOUT = 2_147_483;

/** The flags of a review, merged with environment and configuration. */
export interface ResolvedFlags {
  readonly open: boolean;
  readonly json: boolean;
  /** Whether a denial or feedback ends the command with exit code 10. */
  readonly exitCode: boolean;
  readonly readyFile: string | undefined;
  /** Whether to print a QR code of the URL for other devices. */
  readonly qr: boolean;
  readonly environment: ReviewEnvironment;
  /** The port; if undefined, the project's preferred port is used, or any free port if that is taken. */
  readonly port: number | undefined;
  readonly host: string | undefined;
  /** Uids of other users on this machine that may use the review. */
  readonly allowedUids: readonly number[] | undefined;
  readonly origin: AgentOrigin | undefined;
  readonly timeout: number | undefined;
  /**
   * Seconds after which the caller no longer waits for the decision: the shorter of the command's limit and the
   * caller's.
   */
  readonly callerTimeout: number | undefined;
}

/** The resolved flags and the workspace of a review, known before the review is loaded. */
export interface ReviewOptions extends ResolvedFlags {
  /** The absolute path of the agent's working directory. */
  readonly cwd: string;
  /** The repository that contains `cwd`, or `cwd` if there is none. */
  readonly project: string;
  readonly home: string;
  readonly dataDirectory: string;
  /** The value of `XDG_CONFIG_HOME`, or of `APPDATA` on Windows; undefined if the variable names no folder. */
  readonly configHome: string | undefined;
  /** Whether and where plans are saved, until the person chooses on the page. */
  readonly planSave: ReviewSettings["planSave"];
  /** The model that answers questions on the page; undefined if none is configured. */
  readonly ask: AskTarget | undefined;
}

/**
 * Resolves the options of a review. `cwd` is the agent's folder if the input names one. Throws `usage` or
 * `configuration` for an invalid value.
 */
export async function resolveOptions(flags: ReviewFlags, cwd = "."): Promise<ReviewOptions> {
  const configuration = await loadReviewConfiguration(processEnvironment);
  const { enabled, folder } = configuration.plan_save;
  const absolute = resolve(cwd);
  return {
    ...resolveFlags(flags, await currentVariables(processEnvironment), configuration),
    cwd: absolute,
    project: projectFolder(absolute),
    home: getHomeDirectory(processEnvironment),
    dataDirectory: resolve(dataDirectory(processEnvironment)),
    configHome:
      process.platform === "win32"
        ? processEnvironment["APPDATA"]
        : baseDirectory(processEnvironment, "XDG_CONFIG_HOME"),
    planSave: folder === undefined ? { enabled } : { enabled, customPath: folder },
    ask: configuration.ask && askTarget(configuration.ask, processEnvironment),
  };
}

/** Returns the model to ask, with the key from its variable. Throws `configuration` if the variable is not set. */
function askTarget(
  { base_url: baseUrl, model, api_key_env: variable }: NonNullable<ReviewConfiguration["ask"]>,
  environment: Environment,
): AskTarget {
  const target = { baseUrl, model, fetch: createOutboundFetch(environment) };
  if (variable === undefined) return target;
  const apiKey = environment[variable];
  if (apiKey) return { ...target, apiKey };
  throw new AppError(
    "configuration",
    `review.ask.api_key_env names the variable ${variable}, which is not set. Set it, or remove the line.`,
  );
}

/**
 * Merges flags, environment and configuration, in this order of precedence. Throws `usage` for an invalid
 * flag or variable.
 */
export function resolveFlags(
  flags: ReviewFlags,
  variables: Environment,
  configuration: Pick<ReviewConfiguration, "sharing" | "browser" | "allowed_uids">,
): ResolvedFlags {
  const environment = configured(readReviewEnvironment(variables), configuration);
  const timeout = parseSeconds(flags.timeout, "--timeout");
  return {
    open: flags.open,
    json: flags.json,
    exitCode: flags.exitCode,
    readyFile: flags.readyFile,
    qr: flags.qr === true,
    environment,
    port:
      parsePort(flags.port, "--port") ?? environment.port ?? (environment.remote ? REMOTE_PORT : undefined),
    host: resolveHost(flags.host?.trim() || environment.host),
    allowedUids: configuration.allowed_uids,
    origin: parseOrigin(flags.origin, "--origin") ?? parseOrigin(environment.origin, "SERVICE_ORIGIN"),
    timeout,
    callerTimeout: shortest(timeout, parseSeconds(flags.callerWaits, "--caller-waits")),
  };
}

/**
 * Replaces `tailnet` with the address of this machine in its tailnet. Throws `usage` if the machine has no
 * such address.
 */
function resolveHost(host: string | undefined): string | undefined {
  if (host?.toLowerCase() !== "tailnet") return host;
  const address = tailnetAddress();
  if (address !== undefined) return address;
  throw new AppError("usage", "No tailnet address found on this machine", {
    hint: "Start Tailscale, or name an address with --host.",
  });
}

/** Returns the shortest of the given limits, or undefined if none is set. */
export function shortest(...limits: readonly (number | undefined)[]): number | undefined {
  const set = limits.filter((limit) => limit !== undefined);
  return set.length === 0 ? undefined : Math.min(...set);
}

/**
 * Merges the environment and the configuration file. The environment takes precedence, except that either can
 * turn sharing off. Over SSH, a browser in the configuration counts only if it is `none`, because it would open on this
 * machine, where the person does not see it.
 */
function configured(
  environment: ReviewEnvironment,
  { sharing, browser }: Pick<ReviewConfiguration, "sharing" | "browser">,
): ReviewEnvironment {
  const isSeen = !environment.ssh || browser?.toLowerCase() === "none";
  return {
    ...environment,
    sharing: environment.sharing && sharing,
    browser: environment.browser ?? (isSeen ? browser : undefined),
  };
}

function parseOrigin(text: string | undefined, name: string): AgentOrigin | undefined {
  if (text === undefined) return undefined;
  const origin = originNamed(text);
  if (origin) return origin;
  throw new AppError("usage", `${name} must be ${ORIGIN_NAMES}, got "${text}"`);
}

/** The options of a live review. */
export interface LiveOptions {
  /** Seconds without a connected page or agent after which the review ends. */
  readonly idle: number;
  /** Whether the review runs in the background, where nothing reads its output. */
  readonly isDetached: boolean;
  /** Name of the agent that opened the review; empty if the agent gave none. */
  readonly agent: string;
}

/** Twelve hours, so that a review opened in the evening is still open in the morning. */
const IDLE_SECONDS = 12 * 60 * 60;

/** Returns the options of a live review, or undefined for a one-shot review. Throws `usage`. */
export function resolveLiveOptions({
  live,
  detach,
  detached,
  idle,
  agent,
}: LiveFlags): LiveOptions | undefined {
  if (live) {
    const seconds = parseSeconds(idle, "--idle") ?? IDLE_SECONDS;
    return { idle: seconds, isDetached: detached ?? false, agent: agent ?? "" };
  }
  const flag = detach ? "--detach" : idle === undefined ? undefined : "--idle";
  if (flag === undefined) return undefined;
  throw new AppError("usage", `${flag} needs a live review`, { hint: `Add --live, or leave out ${flag}.` });
}

/**
 * Returns the time limit in seconds, for use before the other options are known; undefined without a limit, and for an
 * invalid one, which `resolveFlags` rejects.
 */
export function parseTimeLimit({ timeout }: Pick<ReviewFlags, "timeout">): number | undefined {
  return timeout === undefined ? undefined : secondsIn(timeout);
}

function secondsIn(text: string): number | undefined {
  const seconds = Number(text);
  return /^\d+(\.\d+)?$/.test(text) && seconds > 0 && seconds <= MAX_TIMEOUT ? seconds : undefined;
}

function parseSeconds(text: string | undefined, flag: string): number | undefined {
  if (text === undefined) return undefined;
  const seconds = secondsIn(text);
  if (seconds !== undefined) return seconds;
  throw new AppError(
    "usage",
    `${flag} must be a number of seconds above 0 and at most ${MAX_TIMEOUT}, got "${text}"`,
    {
      hint: `Use a number such as ${flag} 600, or omit the flag.`,
    },
  );
}
