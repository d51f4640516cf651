import { createServer } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { listAgents } from "../../src/review/agents.ts";
import { disableTimeouts } from "../support/patient-fetch.ts";

const cwd = "/work/größe";

/** A stand-in for OpenCode's server; resolves to its address and the requested paths. */
async function openCode(payload: unknown, status = 200) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(payload));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return { asked, url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}` };
}

describe("listAgents", () => {
  it("offers primary agents that are not hidden, each with id, name and description", async () => {
    const listed = [
      { id: "build", name: "Build", description: "Does it", mode: "primary", hidden: false },
      { name: "solo", mode: "primary" },
      { id: "lonely", mode: "primary" },
      { id: "secret", mode: "primary", hidden: true },
      { id: "helper", mode: "subagent" },
      { id: "both", mode: "all" },
      { id: "none" },
    ];
    expect(await listAgents({ origin: "origin_b", cwd, listed })).toEqual({
      agents: [
        { id: "build", name: "Build", description: "Does it" },
        { id: "solo", name: "solo", description: "" },
        { id: "lonely", name: "lonely", description: "" },
      ],
    });
    expect(await listAgents({ origin: "origin_a", cwd, listed })).toEqual({ agents: [] });
    expect(await listAgents({ origin: "origin_b", cwd })).toEqual({ agents: [] });
  });

  it("asks a running OpenCode server for the folder's agents", async () => {
    disableTimeouts();
    const { url, asked } = await openCode([{ name: "build", mode: "primary", native: true, options: {} }]);
    expect(await listAgents({ origin: "origin_b", cwd, opencodeUrl: url })).toEqual({
      agents: [{ id: "build", name: "build", description: "" }],
    });
    expect(asked).toEqual([`/agent?directory=${encodeURIComponent(cwd)}`]);
  });

  it("reports a server that does not respond", async () => {
    const failed = { agents: [], error: "Failed to fetch agents" };
    const urls = [
      (await openCode([], 500)).url,
      (await openCode({ not: "a list" })).url,
      "http://127.0.0.1:1",
      "not a URL",
      "http://192.0.2.1",
    ];
    for (const opencodeUrl of urls) {
      expect(await listAgents({ origin: "origin_b", cwd, opencodeUrl })).toEqual(failed);
    }
  });
});
