import { version } from "./cli/version.ts";

const args = process.argv.slice(2);

// Editors and scripts often run `--version`, so it is handled before other modules are loaded.
if (args.length === 1 && /^(?:--version|-[vV]|version)$/.test(args[0] ?? ""))
  process.stdout.on("error", () => setExitCode(1)).write(`${version}\n`);
// No top-level await, because the build emits CommonJS scripts.
else void import("./cli/run.ts").then(({ run }) => run(args)).then(setExitCode);

function setExitCode(exitCode: number): void {
  process.exitCode = exitCode;
}
