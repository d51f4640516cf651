import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createBench, run } from "./support/bench.ts";
import { connect } from "./support/connect.ts";
import { type LoopClient, loopClients } from "./support/loop-clients.ts";
import { type ModelRequest, startModelFake } from "./support/model-fake.ts";
import { versionOf } from "./support/programs.ts";
import type { Dialect } from "./support/wire.ts";

/**
 * Each agent, connected only by `proxy connect`, runs a tool loop with a model of every dialect: it receives a
 * prompt, calls a tool, returns the tool's result, and ends with the model's last text and exit code 0.
 */
const DIALECTS: readonly Dialect[] = ["messages", "chat-completions", "responses", "generative-language"];
const SECRET = "the tool says: größer 🚀 4711";
const FINAL_TEXT = "These are the last words: élan 12 €.";

describe.each(loopClients.map((client) => [client.program, client] as const))("%s", (name, client) => {
  it.each(DIALECTS)(`${name} ${versionOf(name)} with a model that speaks %s`, async (dialect) => {
    const { code, printed, requests } = await loop(client, dialect);
    expect.soft(code, printed).toBe(0);
    expect(requests.every((request) => request.dialect === dialect)).toBe(true);
    const afterTool = requests.find((request) => request.toolResults > 0);
    expect(afterTool?.body, "a request with the tool's result").toBeDefined();
    expect(JSON.stringify(afterTool?.body)).toContain(SECRET);
    expect(printed).toContain(FINAL_TEXT);
  });
});

async function loop(client: LoopClient, dialect: Dialect) {
  const bench = await createBench(client.variables);
  const file = join(bench.repository, "secret.txt");
  await writeFile(file, `${SECRET}\n`);
  const model = await startModelFake((request: ModelRequest) => {
    if (!request.hasTools) return { text: "A title" };
    return request.toolResults === 0
      ? { text: "I shall look.", calls: [client.readCall(file, request)] }
      : { text: FINAL_TEXT };
  });
  try {
    const variables = await connect(bench, client, {
      upstreams: { fake: { dialect, base_url: model.url, api_key: "upstream-key" } },
      models: [{ match: "*", upstream: "fake", model: "fake-model" }],
    });
    const ended = await run(bench, client.command("What is in the file?"), { variables });
    return { code: ended.code, printed: ended.stdout + ended.stderr, requests: model.requests };
  } finally {
    await model.close();
  }
}
