import { AppError } from "../../errors.ts";
import { type Environment, getNameInUse } from "../paths.ts";

/** The environment variables of a review. Names and defaults follow the specification. */
export interface ReviewEnvironment {
  /** `SERVICE_REMOTE`: a container or another machine; the port is fixed and no browser is opened. */
  readonly remote: boolean;
  /** `SERVICE_SHARE`: whether the page offers links that contain the plan. */
  readonly sharing: boolean;
  /** `SERVICE_PORT`, 1 to 65535. */
  readonly port?: number | undefined;
  /** `SERVICE_HOST`: an address to bind besides loopback. */
  readonly host?: string | undefined;
  /** `SERVICE_ORIGIN`, or a value derived from the calling agent's variables. */
  readonly origin?: string | undefined;
  /** `SERVICE_BROWSER`, then `BROWSER`: a program that gets the URL; `none` opens nothing. */
  readonly browser?: string | undefined;
  /** Whether the person is connected through SSH. */
  readonly ssh: boolean;
  /** Whether a desktop may be available; only Linux shows this in the environment. */
  readonly desktop: boolean;
  /** `SERVICE_OPENCODE_URL`: a running OpenCode server on this machine, which lists its agents. */
  readonly opencodeUrl?: string | undefined;
}

/** The port of a review in remote mode, as specified. */
export const REMOTE_PORT = 19_432;

const SWITCHED_ON = new Set(["1", "true", "yes", "on"]);
const SWITCHED_OFF = new Set(["disabled", "0", "false", "no", "off"]);

/** Reads the environment. Throws `usage` for an invalid value. */
export function readReviewEnvironment(
  environment: Environment,
  platform: NodeJS.Platform = process.platform,
): ReviewEnvironment {
  const text = (name: string) => environment[name]?.trim() || undefined;
  return {
    port: parsePort(text("SERVICE_PORT"), getNameInUse(environment, "SERVICE_PORT")),
    host: text("SERVICE_HOST"),
    origin: text("SERVICE_ORIGIN") ?? (text("CLAUDECODE") ? "origin_a" : undefined),
    browser: text("SERVICE_BROWSER") ?? text("BROWSER"),
    opencodeUrl: text("SERVICE_OPENCODE_URL"),
    remote: SWITCHED_ON.has((text("SERVICE_REMOTE") ?? "").toLowerCase()),
    sharing: !SWITCHED_OFF.has((text("SERVICE_SHARE") ?? "").toLowerCase()),
    ssh: Boolean(text("SSH_CONNECTION") ?? text("SSH_TTY")),
    desktop:
      platform !== "linux" || Boolean(text("DISPLAY") ?? text("WAYLAND_DISPLAY") ?? text("WSL_DISTRO_NAME")),
  };
}

/** Parses a port number. Returns undefined if `text` is undefined; throws `usage` for an invalid value. */
export function parsePort(text: string | undefined, name: string): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port >= 1 && port <= 65_535) return port;
  throw new AppError("usage", `${name} must be a port between 1 and 65535, got "${text}"`);
}
