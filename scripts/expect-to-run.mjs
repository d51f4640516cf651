import { execFileSync } from "node:child_process";
import { firstLine } from "./try-again.mjs";

/** Throws if a program does not start. */
export function expectToRun(path) {
  try {
    execFileSync(path, ["--version"], { stdio: ["ignore", "ignore", "pipe"], timeout: 120_000 });
  } catch (error) {
    throw new Error(`${path} does not run: ${String(error.stderr ?? "").trim() || firstLine(error)}`);
  }
}
