import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Bench, createBench, run } from "./support/bench.ts";
import { connect } from "./support/connect.ts";
import { type LoopClient, loopClients } from "./support/loop-clients.ts";
import { type ModelRequest, type Script, startModelFake } from "./support/model-fake.ts";
import { versionOf } from "./support/programs.ts";
import type { Dialect } from "./support/wire.ts";

/**
 * Codex with a conversation that becomes too long within a tool loop. Connected by `proxy connect`, Codex requests a
 * summary from the model, in any dialect. Its built-in OpenAI provider, configured to use the proxy, requests
 * compaction from the vendor instead. Only vendors of the responses dialect support that; for others, the proxy requests
 * a summary from the model.
 */
const DIALECTS: readonly Dialect[] = ["messages", "chat-completions", "responses", "generative-language"];
const SUMMARY = "So far: the file says 4711.";
const FINAL_TEXT = "These are the last words: élan 12 €.";
const TOO_LONG = 90_000;
const limit = ["-c", "model_auto_compact_token_limit=20000"];

describe(`codex ${versionOf("codex")} compacts a long conversation`, () => {
  it.each(DIALECTS)("with a summary by a model that speaks %s", async (dialect) => {
    const { code, printed, requests } = await talk(dialect, connected, (request) =>
      request.hasTools ? undefined : { text: SUMMARY },
    );
    expect.soft(code, printed).toBe(0);
    expect(printed).toContain(FINAL_TEXT);
    expect(requests.at(-1)?.raw).toContain(SUMMARY);
    expect(requests.at(-1)?.toolResults).toBe(0);
  });

  it("at a vendor that does it by itself", async () => {
    const { code, printed, requests } = await talk("responses", ownProvider, (request) =>
      request.raw.includes('"compaction_trigger"') ? { compaction: SUMMARY } : undefined,
    );
    expect.soft(code, printed).toBe(0);
    expect(printed).toContain(FINAL_TEXT);
    expect(requests.at(-1)?.body.input).toContainEqual(
      expect.objectContaining({ type: "compaction", encrypted_content: SUMMARY }),
    );
  });

  it("with a summary that the proxy requests, at a vendor of another dialect", async () => {
    const { code, printed, requests } = await talk("messages", ownProvider, (request) =>
      request.hasTools ? undefined : { text: SUMMARY },
    );
    expect.soft(code, printed).toBe(0);
    expect(printed).toContain(FINAL_TEXT);
    expect(requests.at(-1)?.raw).toContain(SUMMARY);
  });
});

type SetUp = (bench: Bench, client: LoopClient, proxy: Parameters<typeof connect>[2]) => Promise<object>;

const connected: SetUp = connect;

/** The person's own settings: the key of the proxy, and its address instead of OpenAI's. */
const ownProvider: SetUp = async (bench, client, proxy) => {
  await connect(bench, { ...client, agent: "openai" }, proxy);
  await mkdir(join(bench.home, ".codex"));
  const port = Number(new URL(bench.reviewUrl).port) + 1000;
  await writeFile(
    join(bench.home, ".codex/config.toml"),
    `openai_base_url = "http://127.0.0.1:${port}/v1"\n`,
  );
  await writeFile(
    join(bench.home, ".codex/auth.json"),
    JSON.stringify({ OPENAI_API_KEY: "sk-for-clients-0123456789" }),
  );
  return {};
};

/**
 * Makes one tool call, after which the conversation is too long, and sends the final text once it has received the
 * summary.
 */
async function talk(
  dialect: Dialect,
  setUp: SetUp,
  compact: (request: ModelRequest) => ReturnType<Script> | undefined,
) {
  const client = loopClients.find(({ program }) => program === "codex");
  if (!client) throw new Error("codex goes round no loop");
  const bench = await createBench(client.variables);
  const model = await startModelFake((request) => {
    const compacted = compact(request);
    if (compacted) return compacted;
    if (request.raw.includes(SUMMARY)) return { text: FINAL_TEXT };
    return { text: "I shall look.", calls: [client.readCall("/dev/null", request)], tokens: TOO_LONG };
  });
  try {
    await setUp(bench, client, {
      upstreams: { fake: { dialect, base_url: model.url, api_key: "upstream-key" } },
      models: [{ match: "*", upstream: "fake", model: "fake-model" }],
    });
    const command = client.command("What is in the file?");
    const ended = await run(bench, [...command.slice(0, -1), ...limit, ...command.slice(-1)]);
    return { code: ended.code, printed: ended.stdout + ended.stderr, requests: model.requests };
  } finally {
    await model.close();
  }
}
