import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { quietPort } from "../support/quiet-port.ts";
import { mountSmallDisk } from "../support/small-disk.ts";
import { sandbox, startCommand } from "../support/spawned-command.ts";

describe("a proxy whose disk cannot be written", () => {
  it.each(["full", "read-only"])(
    "answers as ever, says so once, and logs again when it can: %s",
    async (kind) => {
      const folder = await sandbox();
      const disk = await mountSmallDisk(join(folder, "data"));
      const port = await quietPort();
      const command = await startCommand(["proxy", "start", "--port", String(port)], { folder });
      await command.waitForOutput(/Proxy listening/);
      const call = async (model: string) => {
        const response = await fetch(`http://127.0.0.1:${port}/v1/messages`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ model, max_tokens: 9, messages: [{ role: "user", content: "Hi" }] }),
        });
        expect([response.status, await response.text()]).toEqual([200, expect.stringContaining("Echo: Hi")]);
      };
      /** Returns the models of the logged calls. Every line must be complete. */
      const logged = async () => {
        const text = await readFile(join(disk.path, "proxy", "requests.ndjson"), "utf8").catch(() => "");
        const lines = text.split("\n").slice(0, -1);
        return lines.map((line) => JSON.parse(line).model as string);
      };
      await call("echo/before");
      await expect.poll(logged).toEqual(["echo/before"]);
      await (kind === "full" ? disk.fill() : disk.setReadOnly(true));
      for (let number = 0; number < 20; number += 1) await call(`echo/${"long".repeat(60)}-${number}`);
      await command.waitForOutput(/Cannot write the request log: (?:ENOSPC|EROFS)/);
      await (kind === "full" ? disk.free() : disk.setReadOnly(false));
      await expect
        .poll(async () => {
          await call("echo/after");
          return (await logged()).includes("echo/after");
        })
        .toBe(true);
      expect((await logged())[0]).toBe("echo/before");
      expect(command.stderr().match(/Cannot write the request log/g)).toHaveLength(1);
      command.child.kill("SIGTERM");
      expect((await command.ended).code).toBe(0);
    },
  );
});
