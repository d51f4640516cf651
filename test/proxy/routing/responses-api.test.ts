import { afterEach, describe, expect, it } from "vitest";
import { type Hit, startFakeUpstream } from "../../support/fake-upstream.ts";
import { startTestProxy } from "../../support/start-proxy.ts";
import { goodBody } from "../../support/vendor-responses.ts";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

type Json = Record<string, unknown>;
const KEY = "sk-key-of-the-vendor";
const sent = ({ body }: Hit) => JSON.parse(body.toString()) as Json;

/** Starts a proxy with one upstream, whose stand-in has both APIs of OpenAI. */
async function behind(upstream: object) {
  const fake = await startFakeUpstream((hit, response) => {
    const stream = sent(hit)["stream"] === true;
    const dialect = hit.url.includes("/responses") ? "responses" : "chat-completions";
    response.setHeader("content-type", stream ? "text/event-stream" : "application/json");
    response.end(hit.url.endsWith("/input_tokens") ? '{"input_tokens":7}' : goodBody(dialect, stream));
  });
  closers.push(fake.close);
  const proxy = await startTestProxy({
    upstreams: { main: { base_url: fake.url, api_key: KEY, ...upstream } },
    models: [{ match: "*", upstream: "main" }],
  });
  closers.push(proxy.close);
  const post = (path: string, body: Json) =>
    fetch(`${proxy.url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  return { fake, proxy, post };
}

const messages = [{ role: "user", content: "Hi" }];
const tool = { name: "f", input_schema: { type: "object" } };
const asked = { model: "gpt-6-astra", max_tokens: 99, messages, output_config: { effort: "high" } };
const contents = [{ role: "user", parts: [{ text: "Hi" }] }];
const functionTools = [{ functionDeclarations: [{ name: "f", parametersJsonSchema: { type: "object" } }] }];

describe("an OpenAI upstream of the chat-completions dialect", () => {
  it("has the model data of its models at its responses API as well", async () => {
    const { fake, post } = await behind({ vendor: "openai" });
    const response = await post("/v1/messages", { ...asked, max_tokens: 1_000_000, tools: [tool] });
    expect([response.status, fake.hits[0]?.url]).toEqual([200, "/v1/responses"]);
    expect(fake.hits.map((hit) => sent(hit)["max_output_tokens"])).toEqual([128_000]);
  });

  it("receives calls with tools of GPT-6 models at its responses API, with the same key", async () => {
    const { fake, proxy, post } = await behind({ vendor: "openai" });
    for (const stream of [false, true]) {
      const response = await post("/v1/messages", { ...asked, tools: [tool], stream });
      expect([response.status, await response.text()]).toEqual([200, expect.stringContaining("déjà")]);
    }
    const google = await post("/v1beta/models/gpt-6.1-sol:generateContent", {
      contents,
      tools: functionTools,
    });
    expect([google.status, await google.text()]).toEqual([200, expect.stringContaining("déjà")]);
    expect(fake.hits.map(({ url, headers }) => [url, headers.authorization])).toEqual(
      Array(3).fill(["/v1/responses", `Bearer ${KEY}`]),
    );
    expect(fake.hits.map((hit) => [sent(hit)["store"], sent(hit)["tools"]])).toEqual(
      Array(3).fill([false, [expect.objectContaining({ type: "function", name: "f" })]]),
    );
    const [first, second] = fake.hits.map((hit) => sent(hit)["reasoning"]);
    expect([first, second]).toMatchObject([{ effort: "high" }, { effort: "high" }]);
    expect(proxy.records.map(({ upstream, losses }) => [upstream, losses])).toEqual(
      Array(3).fill(["main", []]),
    );
  });

  it("receives calls whose tools are defined in a system message at its responses API", async () => {
    const { fake, post } = await behind({ vendor: "openai" });
    const added = { type: "tool_addition", tool: { type: "tool_definition", definition: tool } };
    const changes = [...messages, { role: "system", content: [added] }];
    const response = await post("/v1/messages", { ...asked, messages: changes, tools: [] });
    expect([response.status, fake.hits.map(({ url }) => url)]).toEqual([200, ["/v1/responses"]]);
    expect(fake.hits.map((hit) => sent(hit)["tools"])).toMatchObject([[{ type: "function", name: "f" }]]);
  });

  it("counts the tokens of such calls with the responses API", async () => {
    const { fake, post } = await behind({ vendor: "openai" });
    const { max_tokens: _, output_config: __, ...counted } = asked;
    const response = await post("/v1/messages/count_tokens", { ...counted, tools: [tool] });
    expect([await response.json(), fake.hits[0]?.url]).toEqual([
      { input_tokens: 7 },
      "/v1/responses/input_tokens",
    ]);
  });

  it("receives all other calls at its chat-completions API", async () => {
    const { fake, post } = await behind({ vendor: "openai" });
    await post("/v1/messages", asked);
    await post("/v1/messages", { ...asked, tools: [] });
    await post("/v1/messages", { ...asked, model: "gpt-5.6-sol", tools: [tool] });
    await post("/v1/chat/completions", {
      model: "gpt-6-astra",
      messages,
      tools: [{ type: "function", function: { name: "f" } }],
    });
    expect(fake.hits.map(({ url }) => url)).toEqual(Array(4).fill("/v1/chat/completions"));
  });

  it("tells clients of the responses dialect which setting they need", async () => {
    const { fake, post } = await behind({ vendor: "openai" });
    const response = await post("/v1/responses", {
      model: "gpt-6-astra",
      input: "Hi",
      tools: [{ type: "function", name: "f", parameters: { type: "object" } }],
    });
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: { message: expect.stringContaining('Set "dialect": "responses" for its upstream') } },
    ]);
    expect(fake.hits).toEqual([]);
  });
});

describe("the responses API of an upstream of the chat-completions dialect", () => {
  it("is used at Azure, but not for deployments, whose addresses have none", async () => {
    const azure = await behind({ vendor: "azure" });
    expect((await azure.post("/v1/messages", { ...asked, tools: [tool] })).status).toBe(200);
    expect(azure.fake.hits.map(({ url }) => url)).toEqual(["/openai/v1/responses"]);
    const deployed = await behind({ vendor: "azure", azure: { deployments: true } });
    const refused = await deployed.post("/v1/messages", { ...asked, tools: [tool] });
    expect([refused.status, deployed.fake.hits]).toEqual([400, []]);
    const luna = { ...asked, model: "gpt-6-luna", tools: [tool] };
    expect((await deployed.post("/v1/messages", luna)).status).toBe(200);
    expect(deployed.fake.hits.map((hit) => sent(hit)["reasoning_effort"])).toEqual(["none"]);
  });

  it("is used at other vendors if `toolsNeedResponses` is configured", async () => {
    const capabilities = { "my-*": { toolsNeedResponses: true } };
    const { fake, post } = await behind({ dialect: "chat-completions", capabilities });
    await post("/v1/messages", { ...asked, model: "my-model", tools: [tool] });
    await post("/v1/messages", { ...asked, tools: [tool] });
    expect(fake.hits.map(({ url }) => url)).toEqual(["/v1/responses", "/v1/chat/completions"]);
  });
});
