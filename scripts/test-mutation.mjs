// Holds the modules that safety hangs on to 100 % of lines and branches, then changes them in every way Stryker knows
// and wants at least 85 % of the changes noticed: npm run test:mutation. Its tools are not installed with the project,
// as they are many; they come into a folder of their own, which goes again.
import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { copyRepository, root } from "./repository-copy.mjs";

/** The newest Stryker that runs on Node 20; the coverage provider has vitest's own version. */
const STRYKER = "9.6.1";
const VITEST = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).devDependencies.vitest;

const MODULES = [
  "src/http/guard.ts",
  "src/proxy/auth/credentials.ts",
  "src/proxy/auth/key-ring.ts",
  "src/proxy/auth/policy.ts",
  "src/review/images/image-policy.ts",
  "src/review/session.ts",
  "src/sse/parse.ts",
];
const TESTS = [
  "test/http/guard.test.ts",
  "test/proxy/auth/policy.test.ts",
  "test/review/session.test.ts",
  "test/sse/parse.test.ts",
  "test/security/p03-*.test.ts",
  "test/security/r04-*.test.ts",
];
const WANTED = 85;

const folder = mkdtempSync(join(tmpdir(), "sallyport-mutation-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
mkdirSync(join(folder, "repository"));
const copy = copyRepository(join(folder, "repository"));
writeFileSync(join(folder, "package.json"), '{"private":true}');
// One vitest for the tests and the tools, beside which both are found; everything else is the project's.
const packages = [
  `vitest@${VITEST}`,
  `@stryker-mutator/core@${STRYKER}`,
  `@stryker-mutator/vitest-runner@${STRYKER}`,
];
packages.push(`@vitest/coverage-v8@${VITEST}`);
const quietly = ["--ignore-scripts", "--legacy-peer-deps", "--no-audit", "--no-fund", "--loglevel=error"];
execFileSync("npm", ["install", ...quietly, ...packages], {
  cwd: folder,
  stdio: ["ignore", "ignore", "inherit"],
});
rmSync(join(copy, "node_modules"));
for (const name of packageNames(join(root, "node_modules"))) {
  const path = join(folder, "node_modules", name);
  if (existsSync(path)) continue;
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(join(root, "node_modules", name), path, "dir");
}

/** Those of a scope too. */
function packageNames(modules) {
  return readdirSync(modules)
    .filter((name) => !name.startsWith("."))
    .flatMap((name) =>
      name.startsWith("@") ? readdirSync(join(modules, name)).map((inner) => join(name, inner)) : name,
    );
}

writeFileSync(
  join(copy, "vitest.config.ts"),
  `export default { test: {
    include: ${JSON.stringify(TESTS)},
    testTimeout: 60000,
    coverage: {
      provider: "v8", include: ${JSON.stringify(MODULES)}, reporter: ["text"],
      thresholds: { lines: 100, branches: 100, functions: 100, statements: 100 },
    },
  } };\n`,
);
const vitest = join(folder, "node_modules", "vitest", "vitest.mjs");
const covered = spawnSync(process.execPath, [vitest, "run", "--coverage", "--reporter=dot"], {
  cwd: copy,
  stdio: "inherit",
});
if (covered.status !== 0) process.exitCode = 1;

writeFileSync(
  join(copy, "stryker.config.json"),
  JSON.stringify({
    testRunner: "vitest",
    plugins: ["@stryker-mutator/vitest-runner"],
    mutate: MODULES,
    inPlace: true,
    coverageAnalysis: "perTest",
    concurrency: 2,
    timeoutMS: 20_000,
    reporters: ["clear-text", "json"],
    clearTextReporter: { allowColor: false, logTests: false, reportMutants: process.argv.includes("--list") },
    thresholds: { high: 95, low: 90, break: WANTED },
    allowConsoleColors: false,
    disableTypeChecks: false,
    checkers: [],
  }),
);
const stryker = join(folder, "node_modules", "@stryker-mutator", "core", "bin", "stryker.js");
const mutated = spawnSync(process.execPath, [stryker, "run", "stryker.config.json"], {
  cwd: copy,
  stdio: "inherit",
});
if (mutated.status !== 0) process.exitCode = 1;
