import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { quietPort } from "../support/quiet-port.ts";
import { sandbox, startCommand } from "../support/spawned-command.ts";

it.each([1, 2])(
  "serves on for drain_delay after SIGTERM, with /readyz at 503 (%i workers)",
  async (workers) => {
    const folder = await sandbox();
    const file = join(folder, "config.json");
    await writeFile(file, JSON.stringify({ proxy: { drain_delay: 600, upstreams: {}, workers } }));
    const port = await quietPort();
    const command = await startCommand(["proxy", "start", "--config", file, "--port", String(port)], {
      folder,
    });
    await command.waitForOutput(/Proxy listening/);
    const statusOf = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status;
    expect(await statusOf("/readyz")).toBe(200);
    command.child.kill("SIGTERM");
    await command.waitForOutput(/Stopping in 600 s/);
    // Each of the workers.
    for (let call = 0; call < 4; call += 1)
      expect([await statusOf("/readyz"), await statusOf("/healthz")]).toEqual([503, 200]);
    command.child.kill("SIGTERM");
    expect((await command.ended).code).toBe(143);
  },
);
