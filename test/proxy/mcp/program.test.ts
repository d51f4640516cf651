import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, describe, expect, it } from "vitest";
import { connectClient, eventually } from "../../support/mcp-servers.ts";
import { startTestProxy, type TestProxy, until } from "../../support/start-proxy.ts";

const PROGRAM = resolve(import.meta.dirname, "../../fixtures/mcp/program-server.mjs");
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

const node = (env: object = {}) => ({ command: process.execPath, args: [PROGRAM], env });

/** Returns the settings of a program whose tool runs this code, in which `reply` sends the result byte by byte. */
const plain = (code: string) => ({
  command: process.execPath,
  args: [
    "-e",
    `const { createInterface } = require("node:readline");
     const send = (message) => {
       for (const byte of Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n"))
         require("node:fs").writeSync(1, Buffer.from([byte]));
     };
     createInterface({ input: process.stdin }).on("line", (line) => {
       const { id, method } = JSON.parse(line);
       const reply = (result) => send({ id, result });
       const serverInfo = { name: "plain", version: "1" };
       if (method === "initialize") reply({ protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo });
       if (method === "tools/list") reply({ tools: [{ name: "run", inputSchema: { type: "object" } }] });
       if (method === "tools/call") { ${code} }
     });`,
  ],
});

async function proxyFor(mcp: object, environment: Record<string, string> = {}): Promise<TestProxy> {
  const proxy = await startTestProxy({ mcp, mcp_gateway: { list_timeout: 30 } }, environment);
  closers.push(proxy.close);
  return proxy;
}

async function connect(proxy: TestProxy) {
  const { client } = await connectClient(`${proxy.url}/mcp`);
  closers.push(() => client.close());
  return client;
}

async function callPid(client: Awaited<ReturnType<typeof connect>>): Promise<number> {
  const { content } = await client.callTool({ name: "tool__pid" });
  return Number(/pid (\d+)/.exec(JSON.stringify(content))?.[1]);
}

/** Returns whether a process runs; a zombie does not. */
function isRunning(pid: number): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
  return stdout.trim() !== "" && !stdout.startsWith("Z");
}

describe("an MCP server that the proxy starts", () => {
  it("has only the configured environment, is listed, and ends with the proxy", async () => {
    const settings = { ...node({ TOKEN: "token-of-the-tool-0123" }), inherit_env: ["LANG", "ABSENT"] };
    const proxy = await startTestProxy(
      { mcp: { tool: settings }, mcp_gateway: { list_timeout: 30 } },
      { LANG: "C", OPENAI_API_KEY: "sk-of-the-proxy-0123456789" },
    );
    const { client } = await connectClient(`${proxy.url}/mcp`);
    expect(client.getInstructions()).toBe("tool: A program.");
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([
      "tool__pid",
      "tool__crash",
      "tool__steps",
    ]);
    const { contents } = await client.readResource({ uri: "tool+memo://one" });
    expect(contents).toEqual([{ uri: "tool+memo://one", text: "text of memo://one" }]);
    const pid = await callPid(client);
    const started = proxy.notes.find((note) => note.startsWith("mcp tool: started")) ?? "";
    const seen = JSON.parse(started.slice(started.indexOf("{")));
    // The value is a secret of the configuration.
    expect(seen).toEqual({ LANG: "C", TOKEN: "[redacted]" });
    expect(isRunning(pid)).toBe(true);
    await client.close();
    await proxy.close();
    expect(isRunning(pid)).toBe(false);
  });

  it("is restarted after it has ended, and clients continue", async () => {
    const proxy = await proxyFor({ tool: node() });
    const client = await connect(proxy);
    let updates = 0;
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, () => {
      updates += 1;
    });
    await client.subscribeResource({ uri: "tool+memo://one" });
    const first = await callPid(client);
    await expect(client.callTool({ name: "tool__crash" })).rejects.toThrow("ended with exit code 3");
    const second = await eventually(async () => {
      const pid = await callPid(client).catch(() => first);
      return pid === first ? undefined : pid;
    });
    expect([isRunning(first), isRunning(second)]).toEqual([false, true]);
    updates = 0;
    await eventually(async () => {
      await callPid(client);
      return updates > 0 || undefined;
    });
    expect(proxy.notes.filter((note) => !note.includes("started"))).toEqual([
      "mcp tool: ended with exit code 3",
      "mcp tool: starts again in 0.5 s",
    ]);
  });

  it("can send every character of Unicode, and lines in any pieces", async () => {
    const text = "line\u2028paragraph\u2029next\u0085 déjà 😀";
    const proxy = await proxyFor({
      tool: plain(`reply({ content: [{ type: "text", text: ${JSON.stringify(text)} }] })`),
    });
    const client = await connect(proxy);
    const { content } = await client.callTool({ name: "tool__run" });
    expect(content).toEqual([{ type: "text", text }]);
  });

  it("is killed and restarted when it sends an endless message", async () => {
    const proxy = await proxyFor({
      tool: plain(
        `const piece = "x".repeat(1024 * 1024);
         const more = () => process.stdout.write(piece, more);
         more();`,
      ),
    });
    const client = await connect(proxy);
    await expect(client.callTool({ name: "tool__run" })).rejects.toThrow("ended with signal SIGKILL");
    expect(proxy.notes).toContain("mcp tool: sent a message larger than 64 MiB");
    await until(() => proxy.notes.includes("mcp tool: starts again in 0.5 s"));
  });

  it("reports to each client only the client's own progress and subscriptions", async () => {
    const proxy = await proxyFor({ tool: node() });
    const [one, other] = [await connect(proxy), await connect(proxy)];
    const progress: Record<string, unknown[]> = { one: [], other: [] };
    const step = (client: typeof one, label: string) =>
      client.callTool({ name: "tool__steps", arguments: { label } }, undefined, {
        onprogress: ({ message }) => void progress[label]?.push(message),
      });
    await Promise.all([step(one, "one"), step(other, "other")]);
    expect(progress).toEqual({ one: ["one", "one"], other: ["other", "other"] });
    const updated: string[] = [];
    const listen = (client: typeof one, name: string) =>
      client.setNotificationHandler(
        ResourceUpdatedNotificationSchema,
        ({ params }) => void updated.push(`${name} ${params.uri}`),
      );
    listen(one, "one");
    listen(other, "other");
    await one.subscribeResource({ uri: "tool+memo://one" });
    await eventually(async () => {
      await callPid(other);
      return updated.length > 0 || undefined;
    });
    expect(new Set(updated)).toEqual(new Set(["one tool+memo://one"]));
  });

  it("is started and stopped by a reload, and kept if its settings are unchanged", async () => {
    const proxy = await proxyFor({ tool: node() });
    const client = await connect(proxy);
    const first = await callPid(client);
    proxy.reload({ mcp: { tool: node(), other: node() }, mcp_gateway: { list_timeout: 30 } });
    expect((await client.listTools()).tools.length).toBe(6);
    expect(await callPid(client)).toBe(first);
    proxy.reload({ mcp: { tool: node({ A: "b" }) }, mcp_gateway: { list_timeout: 30 } });
    await until(() => !isRunning(first));
    expect(await callPid(client)).not.toBe(first);
    expect((await client.listTools()).tools.length).toBe(3);
  });

  it("is left out of lists, with the reason, if it cannot be started", async () => {
    const proxy = await proxyFor({ none: { command: "no-such-program" }, tool: node() });
    const client = await connect(proxy);
    const listed = await client.listTools();
    expect(listed.tools.map(({ name }) => name)).toContain("tool__pid");
    expect(JSON.stringify(listed._meta)).toContain("the program no-such-program is not on the PATH");
    expect(proxy.notes).toContain("mcp none: cannot run: the program no-such-program is not on the PATH");
    const relayed = await fetch(`${proxy.url}/mcp/tool/mcp`, { method: "POST", body: "{}" });
    expect([relayed.status, await relayed.json()]).toEqual([
      404,
      { error: expect.stringContaining("clients reach at /mcp") },
    ]);
  });
});
