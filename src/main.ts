import { version } from "./cli/version.ts";

const args = process.argv.slice(2);

// `--version` is common in editors and scripts, so it is answered before anything else is loaded.
if (args.length === 1 && /^(?:--version|-[vV]|version)$/.test(args[0] ?? ""))
  process.stdout.on("error", () => setExitCode(1)).write(`${version}\n`);
// No top-level await: the parts of the command are CommonJS scripts.
else void import("./cli/run.ts").then(({ run }) => run(args)).then(setExitCode);

function setExitCode(exitCode: number): void {
  process.exitCode = exitCode;
}
