// Requires 100 % test coverage of the modules that safety depends on, then mutates them with Stryker and requires 85 %
// of the mutants to be detected: npm run test:mutation. Arguments select modules; --list prints surviving mutants. The
// tools have many packages, so they are installed in a temporary folder.
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

/** The newest Stryker for Node 20; the coverage provider has vitest's version. */
const STRYKER = "9.6.1";
const VITEST = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).devDependencies.vitest;

/** Modules with the tests that cover them directly: further tests would only make each mutant slower. */
const MODULES = {
  guard: { files: ["src/http/guard.ts"], tests: ["test/http/guard.test.ts"] },
  authentication: {
    files: ["src/proxy/auth/credentials.ts", "src/proxy/auth/key-ring.ts", "src/proxy/auth/policy.ts"],
    tests: ["test/proxy/auth/*.test.ts", "test/security/p03-*.test.ts"],
  },
  images: {
    files: ["src/review/images/image-policy.ts"],
    tests: ["test/review/images/named-images.test.ts", "test/security/r04-*.test.ts"],
  },
  session: { files: ["src/review/session.ts"], tests: ["test/review/session.test.ts"] },
  events: { files: ["src/sse/parse.ts"], tests: ["test/sse/parse.test.ts"] },
};
const WANTED = 85;

const folder = mkdtempSync(join(tmpdir(), "sallyport-mutation-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
mkdirSync(join(folder, "repository"));
const copy = copyRepository(join(folder, "repository"));
writeFileSync(join(folder, "package.json"), '{"private":true}');
// The tests and the tools must use the same vitest; everything else is linked from the project.
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

/** Returns the package names in a folder, including scoped ones. */
function packageNames(modules) {
  return readdirSync(modules)
    .filter((name) => !name.startsWith("."))
    .flatMap((name) =>
      name.startsWith("@") ? readdirSync(join(modules, name)).map((inner) => join(name, inner)) : name,
    );
}

const args = process.argv.slice(2);
const chosen = Object.entries(MODULES).filter(
  ([name]) => args.every((arg) => arg.startsWith("--")) || args.includes(name),
);
const runTool = (...args) => spawnSync(process.execPath, args, { cwd: copy, stdio: "inherit" }).status === 0;
const vitest = join(folder, "node_modules", "vitest", "vitest.mjs");
const stryker = join(folder, "node_modules", "@stryker-mutator", "core", "bin", "stryker.js");
const report = join(folder, "report.json");

function configureVitest(modules) {
  const coverage = {
    provider: "v8",
    include: modules.flatMap(({ files }) => files),
    reporter: ["text"],
    thresholds: { lines: 100, branches: 100, functions: 100, statements: 100 },
  };
  // The time limit ends mutants that hang; no unmutated test takes this long, even on a busy machine.
  const test = { include: modules.flatMap(({ tests }) => tests), testTimeout: 60_000, coverage };
  writeFileSync(join(copy, "vitest.config.ts"), `export default { test: ${JSON.stringify(test)} };\n`);
}

/** Returns the counts of mutants and of detected mutants. */
function mutate(module) {
  configureVitest([module]);
  const options = {
    testRunner: "vitest",
    plugins: ["@stryker-mutator/vitest-runner"],
    mutate: module.files,
    inPlace: true,
    coverageAnalysis: "perTest",
    concurrency: 2,
    timeoutMS: 10_000,
    reporters: ["clear-text", "json"],
    clearTextReporter: { allowColor: false, logTests: false, reportMutants: args.includes("--list") },
    jsonReporter: { fileName: report },
    allowConsoleColors: false,
    disableTypeChecks: false,
  };
  writeFileSync(join(copy, "stryker.config.json"), JSON.stringify(options));
  if (!runTool(stryker, "run", "stryker.config.json")) throw new Error("Stryker failed");
  const mutants = Object.values(JSON.parse(readFileSync(report, "utf8")).files).flatMap(
    (file) => file.mutants,
  );
  const noticed = mutants.filter(({ status }) => status === "Killed" || status === "Timeout");
  return { count: mutants.length, noticed: noticed.length };
}

configureVitest(chosen.map(([, module]) => module));
if (!runTool(vitest, "run", "--coverage", "--reporter=dot")) process.exitCode = 1;
const results = chosen.map(([name, module]) => ({ name, ...mutate(module) }));
for (const { name, count, noticed } of results) {
  const percent = (100 * noticed) / count;
  console.log(`${name.padEnd(15)} ${noticed} of ${count} mutants detected (${percent.toFixed(1)} %)`);
  if (percent < WANTED) process.exitCode = 1;
}
