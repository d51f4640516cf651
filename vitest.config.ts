import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type Reporter, type TestCase, type TestSpecification } from "vitest/node";

/**
 * Time limit in milliseconds for a polled condition, nearly that of the test: on a busy machine the default of one
 * second fails without a defect.
 */
const patient = { poll: { timeout: 50_000 } };
/** Time limit for tests that start browsers and commands, which wait for each other on a busy machine. */
const morePatient = { poll: { timeout: 100_000 } };

/** Two workers more than cores, because tests also wait for time limits and other processes. */
const maxWorkers = availableParallelism() + 2;

const STARTS_PROCESSES =
  /node:child_process|\/support\/(?:code-server|hostile-repository|run-program|spawned-command|test-repository)\.ts/;

/**
 * Runs files that start processes first. To start one, the kernel copies the page tables of the worker, whose memory
 * grows with each file it runs: 0.8 ms at first, 13 ms at 600 MB.
 */
class ProcessesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const first = new Set(
      sorted.filter(({ moduleId }) => STARTS_PROCESSES.test(readFileSync(moduleId, "utf8"))),
    );
    const projects = new Set(sorted.map(({ project }) => project));
    return [...projects].flatMap((project) => {
      const own = sorted.filter((file) => file.project === project);
      return [...own.filter((file) => first.has(file)), ...own.filter((file) => !first.has(file))];
    });
  }
}

/** Prints why the first attempt of a repeated test failed. The default reporter only says that it was repeated. */
const repeatedTests: Reporter = {
  onTestCaseResult(test: TestCase): void {
    const { state, errors } = test.result();
    if (state !== "passed" || !errors) return;
    const title = `${test.module.relativeModuleId} > ${test.fullName}`;
    for (const { message, stack = message, diff = "" } of errors)
      process.stderr.write(`\nRepeated: ${title}\n${stack}\n${diff}\n`);
  },
};

/** Page tests of `e2e` that the project `firefox` runs as well. */
const IN_FIREFOX = [
  "ask-page",
  "code-page",
  "code-page-commits",
  "code-page-keyboard",
  "code-page-mechanical",
  "code-page-moves",
  "code-page-names",
  "code-page-notebooks",
  "code-page-previews",
  "code-page-print",
  "code-page-since",
  "comment-editors-page",
  "dashboard-page-team",
  "decisions-page",
  "inbox-page",
  "live-plan-page",
  "plan-page-annotate",
  "plan-page-changes",
  "plan-page-decide",
  "plan-page-draft",
  "plan-page-margin",
  "plan-page-next-review",
  "plan-page-restored",
  "plan-page-selection",
  "review-patch-page",
  "review-pr-page",
].map((name) => `test/e2e/${name}.test.ts`);

/** Page tests of `e2e` for what differs most between browsers: selections, keys, clicks that decide, editors. */
const SMOKE_IN_FIREFOX = [
  "code-page-keyboard",
  "comment-editors-page",
  "decisions-page",
  "plan-page-selection",
].map((name) => `test/e2e/${name}.test.ts`);

/** Settings of the projects that drive the built command and Chromium. */
const chromium = {
  expect: morePatient,
  // A browser or a server of the system may fail once on a busy machine. The report names repeated tests.
  retry: 1,
  globalSetup: ["test/support/compiled-command.ts"],
  testTimeout: 180_000,
  hookTimeout: 180_000,
  maxWorkers,
  // Files of one worker share their imports and a Chromium.
  isolate: false,
};

/** Settings of the projects that run page tests in Firefox. */
const firefox = {
  expect: morePatient,
  globalSetup: ["test/support/compiled-command.ts"],
  env: { TEST_BROWSER: "firefox" },
  testTimeout: 180_000,
  hookTimeout: 180_000,
  // Files of one worker share their imports and a Firefox.
  isolate: false,
};

/**
 * Runs in a separate process: in two runs of all other files in the same process, its searches had no result, and the
 * cause is unknown.
 */
const DOCS_SITE = "test/e2e/docs-site-page.test.ts";

/**
 * Tests that repeat kills, typed sentences, simultaneous starts or calls, install the packed package, start the
 * executable 45 times, open a page in several tabs, windows or states, or check whole pages with axe or step by step.
 * Each takes several times as long as other files.
 */
const SLOW = [
  "code-page-accessibility",
  "code-page-first-load",
  "code-page-more",
  "code-page-prerender",
  "code-page-previews",
  "code-page-print",
  "code-page-two-tabs",
  "crash-safety",
  "crash-safety-page",
  "dashboard-page-team",
  "dashboard-page-team-admin",
  "executable",
  "failed-pages",
  "live-code-page",
  "live-crash",
  "package",
  "plan-page-accessibility",
  "plan-page-changes",
  "plan-page-editor",
  "plan-page-many-comments",
  "plan-page-prerender",
  "plan-page-share",
  "plan-page-two-tabs",
  "proxy-memory",
  "proxy-workers-life",
  "races",
  "typing-later-pages",
  "typing-letters-page",
  "typing-page",
].map((name) => `test/e2e/${name}.test.ts`);

/**
 * Defines eleven projects. `unit` runs in-process and needs no build; `e2e` drives the built command and a real
 * Chromium; `docs` does so for the documentation site, `slow` for the files that take longest (`npm run test:slow`);
 * `firefox` runs page tests of `e2e` and its own in Firefox (`npm run test:firefox`); `firefox-smoke` runs a few of
 * them in every CI run (`npm run test:firefox-smoke`); `webkit` drives WebKitGTK (`npm run test:webkit`); `agents`
 * drives the real agents, one file at a time (`npm run test:agents`); `editors` drives VS Code's open-source build
 * (`npm run test:extension`); `soak` keeps the built proxy busy for minutes (`npm run test:soak`); `disk` mounts disks
 * and fills them (`npm run test:disk`).
 */
export default defineConfig({
  test: {
    reporters: ["default", repeatedTests],
    // Transformed modules are kept between runs; an entry belongs to a file's content and this configuration.
    sequence: { sequencer: ProcessesFirst },
    experimental: { fsModuleCache: true, fsModuleCachePath: ".cache/vitest" },
    projects: [
      {
        test: {
          name: "unit",
          expect: patient,
          include: ["test/**/*.test.ts"],
          exclude: [
            "test/e2e/**",
            "test/agents-live/**",
            "test/editors-live/**",
            "test/soak/**",
            "test/disk/**",
            "test/firefox/**",
            "test/webkit/**",
          ],
          setupFiles: ["test/support/seeded.ts", "test/support/closed-diffs.ts"],
          maxWorkers,
          // Files of one worker share their imports, which took as much CPU time as all tests. A test that changes
          // something global (a timer, a spy, the working directory) restores it.
          isolate: false,
          // No test waits for time to pass, so only a test that hangs reaches this limit, even on a busy machine.
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          ...chromium,
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          exclude: [DOCS_SITE, ...SLOW],
        },
      },
      { test: { ...chromium, name: "slow", include: SLOW } },
      {
        test: {
          name: "docs",
          expect: morePatient,
          retry: 1,
          include: [DOCS_SITE],
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
      {
        test: {
          ...firefox,
          name: "firefox",
          include: ["test/firefox/**/*.test.ts", ...IN_FIREFOX],
          maxWorkers: 1,
        },
      },
      {
        test: {
          ...firefox,
          name: "firefox-smoke",
          retry: 1,
          include: ["test/firefox/**/*.test.ts", ...SMOKE_IN_FIREFOX],
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: "webkit",
          expect: morePatient,
          include: ["test/webkit/**/*.test.ts"],
          globalSetup: ["test/support/compiled-command.ts"],
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
      {
        test: {
          name: "disk",
          expect: patient,
          include: ["test/disk/**/*.test.ts"],
          globalSetup: ["test/support/compiled-command.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: "soak",
          include: ["test/soak/**/*.test.ts"],
          testTimeout: 120_000,
          // SOAK_MINUTES sets the duration.
          hookTimeout: 0,
        },
      },
      {
        test: {
          name: "editors",
          expect: morePatient,
          include: ["test/editors-live/**/*.test.ts"],
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
      {
        test: {
          name: "agents",
          expect: patient,
          include: ["test/agents-live/**/*.test.ts"],
          // An agent takes seconds on an idle machine and a minute on a busy one; only one that hangs takes this
          // long.
          testTimeout: 600_000,
          hookTimeout: 600_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
