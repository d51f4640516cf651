import { defineConfig } from "vitest/config";

/**
 * Two projects. `unit` runs in-process and needs no build; `e2e` drives the built command and a real Chromium,
 * one file at a time, so that figures and ports are not fought over.
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: ["test/e2e/**"],
          testTimeout: 20_000,
        },
      },
      {
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
