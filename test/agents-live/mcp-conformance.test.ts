import { describe, expect, it } from "vitest";
import { createBench, run } from "./support/bench.ts";
import { startMcpServer } from "./support/mcp-server.ts";
import { program, versionOf } from "./support/programs.ts";
import { startProxy } from "./support/proxy.ts";

/**
 * Runs the official conformance suite against a server directly and through each relay route. The results must be
 * equal.
 */
const RELAYS = ["web_search_prime", "web_reader", "vendor-mcp-server"];

interface Outcome {
  readonly passed: number;
  readonly failed: number;
  readonly printed: string;
}

describe(`MCP conformance ${versionOf("conformance")}`, () => {
  it("is whole straight at the server", async () => {
    const { passed, failed, printed } = await conformance(await startMcpServer());
    expect(failed, printed).toBe(0);
    expect(passed).toBeGreaterThan(35);
  });

  it.each(RELAYS)("is the same through /mcp/%s/mcp", async (name) => {
    const server = await startMcpServer();
    const direct = await conformance(server);
    const bench = await createBench();
    const port = Number(new URL(bench.reviewUrl).port) + 1000;
    const url = await startProxy(bench, { port, mcp: { [name]: { url: server } } });
    const relayed = await conformance(`${url}/mcp/${name}/mcp`);
    expect({ ...relayed, printed: "" }, relayed.printed).toEqual({ ...direct, printed: "" });
  });
});

async function conformance(url: string): Promise<Outcome> {
  const bench = await createBench();
  const { stdout, stderr } = await run(bench, [
    program("conformance"),
    "server",
    "--url",
    url,
    "--suite",
    "all",
  ]);
  const printed = stdout + stderr;
  const [, passed, failed] = /Total: (\d+) passed, (\d+) failed/.exec(printed) ?? [];
  return { passed: Number(passed), failed: Number(failed), printed };
}
