import type { AgentOrigin } from "./api-types.ts";

const ORIGINS: Readonly<Record<string, AgentOrigin>> = {
  origin_a: "origin_a",
  origin_b: "origin_b",
  "claude-code": "origin_a",
  opencode: "origin_b",
};

/** The accepted names, for error messages. */
export const ORIGIN_NAMES = "claude-code (origin_a) or opencode (origin_b)";

/** Returns the origin for the specification's name or the agent's name, or undefined. */
export function originNamed(name: string): AgentOrigin | undefined {
  return Object.hasOwn(ORIGINS, name) ? ORIGINS[name] : undefined;
}
