import { describe, expect, it } from "vitest";
import { quietPort } from "../support/quiet-port.ts";
import { sandbox, startCommand } from "../support/spawned-command.ts";

describe("--json", () => {
  it("prints what install, connect and their opposites changed", async () => {
    const folder = await sandbox();
    const run = async (...args: string[]) => {
      const { code, stdout } = await (await startCommand([...args, "--json"], { folder })).ended;
      expect([args, code]).toEqual([args, 0]);
      return JSON.parse(stdout);
    };
    const installed = await run("install", "codex", "--yes");
    expect(installed).toMatchObject({ agent: "codex" });
    expect(installed.files.length).toBeGreaterThan(0);
    expect(await run("install", "codex", "--yes")).toEqual({ agent: "codex", files: [] });
    expect(await run("uninstall", "codex", "--yes")).toEqual(installed);
    const connected = await run("proxy", "connect", "claude-code", "--yes");
    expect(await run("proxy", "disconnect", "claude-code", "--yes")).toEqual({
      client: "claude-code",
      files: connected.files,
    });
    expect(await run("version")).toMatchObject({ node: process.version, platform: process.platform });
    expect(await run("completion", "bash")).toMatchObject({ shell: "bash" });
    expect((await run("docs")).pages).toContainEqual({ page: "README", title: "Documentation" });
    const { licenses } = await run("licenses");
    expect(licenses[0]).toMatchObject({ packages: [], text: expect.stringContaining("MIT") });
    expect(licenses.at(-1).packages.length).toBeGreaterThan(0);
  });

  it("prints the address of a server once it listens", async () => {
    const servers = [
      ["proxy", "start"],
      ["inbox", "--no-open"],
    ];
    for (const args of servers) {
      const port = await quietPort();
      const server = await startCommand([...args, "--port", String(port), "--json"]);
      await expect.poll(server.stdout, { timeout: 20_000 }).toContain("\n");
      expect(JSON.parse(server.stdout())).toMatchObject({ port, pid: server.child.pid });
      server.child.kill("SIGTERM");
      await server.ended;
    }
  });
});
