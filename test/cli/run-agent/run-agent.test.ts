import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { runAgent } from "../../../src/cli/run-agent/run-agent.ts";
import { generatedKeyFile } from "../../../src/config/proxy/generated-key.ts";
import { disableTimeouts } from "../../support/patient-fetch.ts";
import { recordOutput } from "../../support/record-output.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

afterEach(() => vi.unstubAllEnvs());

/** Starts a stub of the proxy. Resolves to its port. */
async function listen(): Promise<number> {
  const server = createServer((_request, response) => response.end("{}"));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => void server.close());
  const address = server.address();
  return typeof address === "object" && address ? address.port : 0;
}

describe("sallyport run", () => {
  it("creates the key that the proxy requires, as its first start does, and passes it to the agent", async () => {
    disableTimeouts();
    const home = await temporaryFolder();
    await mkdir(join(home, "bin"));
    await writeFile(join(home, "bin/claude"), "", { mode: 0o755 });
    vi.stubEnv("PATH", join(home, "bin"));
    vi.stubEnv("SALLYPORT_HOME", join(home, "data"));
    const config = join(home, "config.json");
    const upstreams = { vendor: { dialect: "messages", base_url: "http://127.0.0.1:9", api_key: "k" } };
    const proxy = { auth_mode: "strict", port: await listen(), upstreams };
    await writeFile(config, JSON.stringify({ proxy }));
    const { results, output } = recordOutput();
    for (let run = 0; run < 2; run += 1)
      expect(await runAgent("claude-code", [], { config, json: true }, output)).toBe(0);
    const key = (await readFile(generatedKeyFile(join(home, "data")), "utf8")).trim();
    expect(results.map((text) => JSON.parse(text).environment.ANTHROPIC_AUTH_TOKEN)).toEqual([key, key]);
  });

  it("lists only agents that it can start if the agent is unknown", async () => {
    vi.stubEnv("PATH", "");
    const run = runAgent("nonsense", [], { json: false }, recordOutput().output);
    const { hint } = await run.catch((error) => error);
    expect(hint).toContain("claude-code");
    const named: string[] = hint.match(/[\w-]+(?=[,.])/g);
    for (const id of named)
      await runAgent(id, [], { json: false }, recordOutput().output).catch(({ message }) =>
        expect([id, message]).toEqual([id, expect.stringContaining("is not installed")]),
      );
  });
});
