import type { ProxyConfig } from "../../config/proxy/config.ts";
import type { Operation } from "../routes.ts";

type AuthMode = ProxyConfig["authMode"];

/** Resolves `auto`: `all_except_health` with LAN access, `off` without. */
export function effectiveMode(mode: AuthMode, allowLanAccess: boolean): Exclude<AuthMode, "auto"> {
  if (mode !== "auto") return mode;
  return allowLanAccess ? "all_except_health" : "off";
}

/**
 * Returns whether a request needs a key. The decision depends on the matched route, because a path has many
 * spellings. `operation` is undefined if no route matched.
 */
export function needsKey(mode: Exclude<AuthMode, "auto">, operation: Operation | undefined): boolean {
  if (mode === "off") return false;
  return mode === "strict" || (operation !== "health" && operation !== "readiness");
}
