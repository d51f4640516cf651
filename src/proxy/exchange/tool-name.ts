import { hash } from "node:crypto";

/**
 * Returns a tool name of at most `max` letters, digits, `_` and `-`: replaces invalid characters with `_`, truncates
 * the name and appends a digest that keeps the new names distinct.
 */
export function shortenToolName(name: string, max: number): string {
  const digest = hash("sha256", name).slice(0, 8);
  const letters = name.replace(/[^a-zA-Z0-9_-]/g, "_").replace(/^[^a-zA-Z_]/, "_$&");
  return `${letters.slice(0, max - digest.length - 1)}_${digest}`;
}
