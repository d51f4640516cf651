import type { ProxyConfig } from "../../config/proxy/config.ts";
import type { Operation } from "../routes.ts";

type AuthMode = ProxyConfig["authMode"];

/** `auto` is not its own policy: with LAN access it is `all_except_health`, else `off`, as specified. */
export function effectiveMode(mode: AuthMode, allowLanAccess: boolean): Exclude<AuthMode, "auto"> {
  if (mode !== "auto") return mode;
  return allowLanAccess ? "all_except_health" : "off";
}

/**
 * Whether a request needs a key. Decided on the matched route's operation, never on the path's text, which has many
 * spellings; undefined stands for a path without a route.
 */
export function needsKey(mode: Exclude<AuthMode, "auto">, operation: Operation | undefined): boolean {
  if (mode === "off") return false;
  return mode === "strict" || (operation !== "health" && operation !== "readiness");
}
