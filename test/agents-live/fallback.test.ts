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
 * If an agent's vendor is overloaded within a tool loop, the next upstream of the rule serves the agent, in another
 * dialect and with another model name.
 */
const SECRET = "the tool says: größer 🚀 4711";
const FINAL_TEXT = "These are the last words: élan 12 €.";
const DIALECTS: readonly Dialect[] = ["messages", "chat-completions", "responses", "generative-language"];
const OWN: readonly (readonly [program: string, dialect: Dialect])[] = [
  ["claude-code", "messages"],
  ["opencode", "chat-completions"],
];

describe.each(OWN)("%s", (name, own) => {
  const others = DIALECTS.filter((dialect) => dialect !== own);
  it.each(others)(`${name} ${versionOf(name)} goes on with a model that speaks %s`, async (other) => {
    const client = loopClients.find(({ program }) => program === name);
    if (!client) throw new Error(`${name} goes round no loop`);
    const { code, printed, requests } = await loop(client, own, other);
    expect.soft(code, printed).toBe(0);
    expect(printed).toContain(FINAL_TEXT);
    const last = requests.findLast(({ dialect }) => dialect === other);
    expect(last?.raw, "a request with the tool's result").toContain("4711");
    expect(`${last?.path} ${last?.body.model}`).toContain("other-model");
  });
});

async function loop(client: LoopClient, own: Dialect, other: Dialect) {
  const bench = await createBench(client.variables);
  const file = join(bench.repository, "secret.txt");
  await writeFile(file, `${SECRET}\n`);
  const model = await startModelFake((request: ModelRequest) => {
    if (!request.hasTools) return { text: "A title" };
    if (request.dialect === other) return { text: FINAL_TEXT };
    return request.toolResults === 0
      ? { text: "I shall look.", calls: [client.readCall(file, request)] }
      : { status: 529 };
  });
  try {
    const upstream = { base_url: model.url, api_key: "upstream-key" };
    const variables = await connect(bench, client, {
      upstreams: { first: { ...upstream, dialect: own }, second: { ...upstream, dialect: other } },
      models: [{ match: "*", upstream: ["first", "second/other-model"] }],
    });
    const ended = await run(bench, client.command("What is in the file?"), { variables });
    return { code: ended.code, printed: ended.stdout + ended.stderr, requests: model.requests };
  } finally {
    await model.close();
  }
}
