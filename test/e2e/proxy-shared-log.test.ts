import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { quietPort } from "../support/quiet-port.ts";
import { sandbox, startCommand } from "../support/spawned-command.ts";
import { until } from "../support/start-proxy.ts";

const CALLS = 1_000;
const AT_ONCE = 20;

it("keeps every line of two proxies that rotate one log", { timeout: 240_000 }, async () => {
  const folder = await sandbox();
  const config = join(folder, "config.json");
  // A file holds about thirty lines, so that each batch is split over several files.
  const proxy = { auth_mode: "off", logging: { max_file: 8_192, files: 100 } };
  await writeFile(config, JSON.stringify({ proxy }));
  const started = await Promise.all(
    ["one", "other"].map(async (name) => {
      const port = String(await quietPort());
      const ready = join(folder, `${name}.json`);
      const args = ["proxy", "start", "--config", config, "--port", port, "--ready-file", ready];
      const command = await startCommand(args, { folder });
      await until(() => command.stderr().includes("configuration"));
      return { name, command, url: `http://localhost:${port}` };
    }),
  );
  await Promise.all(
    started.flatMap(({ name, url }) =>
      Array.from({ length: AT_ONCE }, async (_, client) => {
        for (let call = client; call < CALLS; call += AT_ONCE) {
          const response = await fetch(`${url}/v1/messages`, {
            method: "POST",
            headers: { "content-type": "application/json", "x-request-id": `${name}-${call}` },
            body: '{"model":"echo","max_tokens":9,"messages":[{"role":"user","content":"x"}]}',
          });
          await response.text();
        }
      }),
    ),
  );
  for (const { command } of started) command.child.kill("SIGTERM");
  await Promise.all(started.map(({ command }) => command.ended));

  const logs = join(folder, "data", "proxy");
  const files = (await readdir(logs)).filter((file) => file.startsWith("requests"));
  expect(files.filter((file) => !/\.(?:ndjson|\d+)$/.test(file))).toEqual([]);
  const texts = await Promise.all(files.map((file) => readFile(join(logs, file), "utf8")));
  const lines = texts.flatMap((text) => text.split("\n").slice(0, -1));
  const ids = lines.map((line) => JSON.parse(line).request_id as string);
  expect([ids.length, new Set(ids).size]).toEqual([2 * CALLS, 2 * CALLS]);
  for (const text of texts) expect(text.length).toBeLessThanOrEqual(8_192);
});
