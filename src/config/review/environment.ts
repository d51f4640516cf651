import { AppError } from "../../errors.ts";
import { type Environment, getNameInUse } from "../paths.ts";

/** The environment variables of a review. Names and defaults follow the specification. */
export interface ReviewEnvironment {
  /** `SERVICE_REMOTE`: a container or another machine; the default port is `REMOTE_PORT`, and no browser is opened. */
  readonly remote: boolean;
  /** `SERVICE_SHARE`: whether the page offers links that contain the plan. */
  readonly sharing: boolean;
  /** `SERVICE_PORT`, 1 to 65535. */
  readonly port?: number | undefined;
  /** `SERVICE_HOST`: an address to bind in addition to loopback. */
  readonly host?: string | undefined;
  /** `SERVICE_ORIGIN`, or a value derived from the calling agent's variables. */
  readonly origin?: string | undefined;
  /**
   * The value of `SERVICE_BROWSER`, or otherwise of `BROWSER`: a program that receives the URL, or `none`. Over SSH,
   * only `BROWSER` is used unless `SERVICE_BROWSER` is `none`, because editors with a remote server set `BROWSER`, and
   * the person does not see this machine's desktop.
   */
  readonly browser?: string | undefined;
  /** Whether the person is connected through SSH. */
  readonly ssh: boolean;
  /** The GitHub Codespace in which this process runs. */
  readonly codespace?: Codespace | undefined;
  /**
   * Whether a Codespace or an editor of the VS Code family (Remote SSH, dev container, tunnel) forwards ports to the
   * person's machine.
   */
  readonly forwardsPorts: boolean;
  /** Whether a desktop may be available; only Linux shows this in the environment. */
  readonly desktop: boolean;
  /** `SERVICE_OPENCODE_URL`: a running OpenCode server on this machine, which lists its agents. */
  readonly opencodeUrl?: string | undefined;
}

/** A GitHub Codespace: https://docs.github.com/en/codespaces/developing-in-a-codespace/default-environment-variables-for-your-codespace */
export interface Codespace {
  readonly name: string;
  /** The domain of forwarded ports, such as `app.github.dev`. */
  readonly domain: string;
}

/** The default port of a review in remote mode, as specified. */
export const REMOTE_PORT = 19_432;

const SWITCHED_ON = new Set(["1", "true", "yes", "on"]);
const SWITCHED_OFF = new Set(["disabled", "0", "false", "no", "off"]);
const KNOWN_VALUES = new Set([...SWITCHED_ON, ...SWITCHED_OFF, "enabled", ""]);

/** Returns a warning for each switch that is set to an unknown value, which has no effect. */
export function warnOfUnknownSwitches(environment: Environment): readonly string[] {
  return (["SERVICE_REMOTE", "SERVICE_SHARE"] as const).flatMap((name) => {
    const value = environment[name]?.trim() ?? "";
    if (KNOWN_VALUES.has(value.toLowerCase())) return [];
    return [`Warning: ${getNameInUse(environment, name)}="${value}" has no effect. Set it to 1 or 0.`];
  });
}

/** Reads the environment variables of a review. Throws `usage` for an invalid value. */
export function readReviewEnvironment(
  environment: Environment,
  platform: NodeJS.Platform = process.platform,
): ReviewEnvironment {
  const text = (name: string) => environment[name]?.trim() || undefined;
  const ssh = Boolean(text("SSH_CONNECTION") ?? text("SSH_TTY"));
  const chosen = text("SERVICE_BROWSER");
  const browser = ssh && chosen?.toLowerCase() !== "none" ? text("BROWSER") : (chosen ?? text("BROWSER"));
  const codespace = parseCodespace(text("CODESPACE_NAME"), text("GITHUB_CODESPACES_PORT_FORWARDING_DOMAIN"));
  return {
    port: parsePort(text("SERVICE_PORT"), getNameInUse(environment, "SERVICE_PORT")),
    host: text("SERVICE_HOST"),
    origin: text("SERVICE_ORIGIN") ?? (text("CLAUDECODE") ? "origin_a" : undefined),
    browser,
    codespace,
    forwardsPorts:
      codespace !== undefined || text("REMOTE_CONTAINERS") !== undefined || isEditorHelper(browser),
    opencodeUrl: text("SERVICE_OPENCODE_URL"),
    remote: SWITCHED_ON.has((text("SERVICE_REMOTE") ?? "").toLowerCase()),
    sharing: !SWITCHED_OFF.has((text("SERVICE_SHARE") ?? "").toLowerCase()),
    ssh,
    desktop:
      platform !== "linux" || Boolean(text("DISPLAY") ?? text("WAYLAND_DISPLAY") ?? text("WSL_DISTRO_NAME")),
  };
}

const HOST_LABELS = /^[a-z0-9-]+(\.[a-z0-9-]+)*$/i;

function parseCodespace(name: string | undefined, domain: string | undefined): Codespace | undefined {
  if (!name || !domain || !HOST_LABELS.test(name) || !HOST_LABELS.test(domain)) return undefined;
  return { name, domain };
}

/**
 * Returns whether a browser command is the script that the server of VS Code, Cursor and others sets as `BROWSER`
 * (`…/helpers/browser.sh`). It opens the URL on the person's machine and forwards its port.
 */
export function isEditorHelper(browser: string | undefined): boolean {
  return browser !== undefined && /[/\\]helpers[/\\]browser\.(sh|cmd|bat)$/.test(browser);
}

/** Returns the host under which a Codespace forwards a port. */
export function forwardedHost({ name, domain }: Codespace, port: number): string {
  return `${name}-${port}.${domain}`.toLowerCase();
}

/** Parses a port number. Returns undefined if `text` is undefined; throws `usage` for an invalid value. */
export function parsePort(text: string | undefined, name: string): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port >= 1 && port <= 65_535) return port;
  throw new AppError("usage", `${name} must be a port between 1 and 65535, got "${text}"`);
}
