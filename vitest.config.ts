import { defineConfig } from "vitest/config";

/**
 * Three projects. `unit` runs in-process and needs no build; `e2e` drives the built command and a real Chromium,
 * one file at a time, so that figures and ports are not fought over; `agents` drives the real agents the same way
 * (`npm run test:agents`).
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: ["test/e2e/**", "test/agents-live/**"],
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
      {
        test: {
          name: "agents",
          include: ["test/agents-live/**/*.test.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
