import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { quietPort } from "../support/quiet-port.ts";
import { sandbox, startCommand } from "../support/spawned-command.ts";

/** Writes the size of the young generation after each garbage collection. */
const PRELOADED = `
const { writeFileSync } = require("node:fs");
const { PerformanceObserver } = require("node:perf_hooks");
const { getHeapSpaceStatistics } = require("node:v8");
if (process.argv.includes("start"))
  new PerformanceObserver(() => {
    const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space");
    writeFileSync(process.env.YOUNG_SIZE, String(young.space_size));
  }).observe({ entryTypes: ["gc"] });
`;

it("keeps the young generation small under load", async () => {
  const folder = await sandbox();
  const preloaded = join(folder, "preloaded.cjs");
  const size = join(folder, "size");
  await writeFile(preloaded, PRELOADED);
  const port = await quietPort();
  const command = await startCommand(["proxy", "start", "--port", String(port)], {
    folder,
    // Node.js 22 and later permit this size by default.
    environment: { NODE_OPTIONS: `--max-semi-space-size=32 --require ${preloaded}`, YOUNG_SIZE: size },
  });
  await command.waitForOutput(/Proxy listening/);
  const body = JSON.stringify({
    model: "echo/any",
    max_tokens: 9,
    messages: Array.from({ length: 2_000 }, (_, index) => ({
      role: index % 2 === 0 ? "user" : "assistant",
      content: `Message ${index}`,
    })),
  });
  const call = async () => {
    const response = await fetch(`http://127.0.0.1:${port}/v1/messages`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining("Echo")]);
  };
  for (let round = 0; round < 10; round += 1) await Promise.all(Array.from({ length: 40 }, call));
  const bytes = Number(await readFile(size, "utf8"));
  expect(bytes).toBeGreaterThan(1_000_000);
  expect(bytes).toBeLessThan(40_000_000);
  command.child.kill("SIGTERM");
  expect((await command.ended).code).toBe(0);
});
