import type { ProxyConfig, ProxyKey } from "../../config/proxy/config.ts";
import type { Operation } from "../routes.ts";

type AuthMode = ProxyConfig["authMode"];

/**
 * Returns whether an operation belongs to the admin API or the API for key holders. These require a key regardless of
 * `auth_mode`, and reject requests whose `Host` or `Origin` is not allowed, even with a valid key.
 */
export function isApiOperation(operation: Operation | undefined): boolean {
  return operation === "admin" || operation === "own";
}

/** Returns whether a key's role allows an operation. Keys in the configuration have no role. */
export function mayCall({ role }: ProxyKey, operation: Operation | undefined): boolean {
  if (operation === "admin") return role === "admin";
  if (role === "metrics")
    return operation === "metrics" || operation === "readiness" || operation === "health";
  // These operations show the calls of all keys.
  const showsAll = operation === "metrics" || operation === "home" || operation === "dashboard-events";
  return !(showsAll && role === "user");
}

/**
 * Resolves `auto` to `all_except_health` with LAN access, else to `off`. Returns any other mode unchanged. Ignores
 * the keys of the database, which `Runtime.authMode` considers.
 */
export function effectiveMode(mode: AuthMode, allowLanAccess: boolean): Exclude<AuthMode, "auto"> {
  if (mode !== "auto") return mode;
  return allowLanAccess ? "all_except_health" : "off";
}

/**
 * Returns whether a request needs a key. `operation` is that of the matched route, undefined if no route matched. The
 * path is not compared, because the same path can be spelled in many ways.
 */
export function needsKey(mode: Exclude<AuthMode, "auto">, operation: Operation | undefined): boolean {
  if (isApiOperation(operation)) return true;
  if (mode === "off") return false;
  return mode === "strict" || (operation !== "health" && operation !== "readiness");
}
