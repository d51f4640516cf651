import { run } from "./cli/run.ts";

// No top-level await: the single executable's bundle is a CommonJS script.
void run(process.argv.slice(2)).then((exitCode) => {
  process.exitCode = exitCode;
});
