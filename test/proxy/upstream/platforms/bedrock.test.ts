import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { EventStreamDecoder } from "../../../../src/proxy/upstream/platforms/event-stream.ts";
import { type Hit, json, type Respond, startFakeUpstream } from "../../../support/fake-upstream.ts";
import { configOf, startTestProxy } from "../../../support/start-proxy.ts";
import {
  type AwsKey,
  converseStream,
  exceptionMessage,
  findSignatureProblem,
  invokeStream,
} from "./aws-stand-in.ts";

const KEY: AwsKey = { id: "AKIDEXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY" };
const CLAUDE = "eu.anthropic.claude-sonnet-4-5-20250929-v1:0";
const NOVA = "eu.amazon.nova-pro-v1:0";

const JSON_TYPE = { "content-type": "application/json" };
const closers: (() => Promise<unknown>)[] = [];
beforeEach(() => {
  // Otherwise the library would read these files of the user who runs the tests.
  vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null");
  vi.stubEnv("AWS_CONFIG_FILE", "/dev/null");
  vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");
  vi.stubEnv("AWS_ACCESS_KEY_ID", KEY.id);
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", KEY.secret);
});
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
  vi.unstubAllEnvs();
});

/** Starts a stand-in for Bedrock, which rejects requests with a wrong signature, and a proxy that calls it. */
async function behind(respond: Respond, { key = KEY, aws = {} }: { key?: AwsKey; aws?: object } = {}) {
  const problems: string[] = [];
  const fake = await startFakeUpstream((hit, response) => {
    const problem = findSignatureProblem(hit, key, "bedrock");
    if (problem === undefined) return respond(hit, response);
    problems.push(problem);
    return json({ message: problem }, 403)(hit, response);
  });
  closers.push(fake.close);
  const proxy = await startTestProxy({
    upstreams: { aws: { vendor: "bedrock", base_url: fake.url, aws: { region: "eu-west-3", ...aws } } },
    models: [{ match: "*", upstream: "aws" }],
  });
  closers.push(proxy.close);
  const post = (path: string, body: object | string, headers: Record<string, string> = {}) =>
    fetch(`${proxy.url}${path}`, {
      method: "POST",
      headers: { ...JSON_TYPE, ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  return { fake, proxy, problems, post };
}

const bodyOf = (hit: Hit | undefined) => JSON.parse(hit?.body.toString() ?? "{}") as Record<string, unknown>;
const hi = { max_tokens: 50, messages: [{ role: "user", content: "Hi" }] };
const message = {
  id: "msg_bdrk_1",
  type: "message",
  role: "assistant",
  model: "claude-sonnet-4-5-20250929",
  content: [{ type: "text", text: "Hello" }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 9, output_tokens: 4 },
};
const messageEvents = [
  { type: "message_start", message: { ...message, content: [], stop_reason: null } },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hello" } },
  { type: "content_block_stop", index: 0 },
  {
    type: "message_delta",
    delta: { stop_reason: "end_turn", stop_sequence: null },
    usage: { output_tokens: 4 },
  },
  { type: "message_stop" },
];

/** Returns a handler that writes bytes as an event stream in pieces of 7 bytes, so that every message is split. */
const frames =
  (bytes: Buffer): Respond =>
  async (_hit, response) => {
    response.writeHead(200, { "content-type": "application/vnd.amazon.eventstream" });
    for (let at = 0; at < bytes.length; at += 7) response.write(bytes.subarray(at, at + 7));
    response.end();
  };

describe("Claude on Amazon Bedrock", () => {
  it("receives a signed InvokeModel request with the client's beta features and all other members", async () => {
    const { fake, post, problems, proxy } = await behind(json(message));
    const body = {
      model: CLAUDE,
      ...hi,
      thinking: { type: "enabled", budget_tokens: 1024 },
      future_member: { a: 1 },
    };
    const response = await post("/v1/messages", body, {
      "anthropic-version": "2023-06-01",
      "anthropic-beta": "context-1m-2025-08-07,interleaved-thinking-2025-05-14",
    });
    expect([problems, response.status, await response.json()]).toEqual([[], 200, message]);
    const [hit] = fake.hits;
    expect(hit?.url).toBe(`/model/${encodeURIComponent(CLAUDE)}/invoke`);
    const { model: _, ...members } = body;
    expect(bodyOf(hit)).toEqual({
      anthropic_version: "bedrock-2023-05-31",
      anthropic_beta: ["context-1m-2025-08-07", "interleaved-thinking-2025-05-14"],
      ...members,
    });
    expect(hit?.headers).not.toHaveProperty("anthropic-version");
    expect(proxy.records.at(-1)?.usage).toMatchObject({ input: { total: 9 }, output: { total: 4 } });
  });

  it.each([
    ["2023-06-01", "eu.anthropic.claude-opus-4-7-v1:0", "bedrock-2023-05-31"],
    ["2026-10-21", "eu.anthropic.claude-opus-4-7-v1:0", "2026-10-21"],
    ["2026-10-21", "anthropic.claude-sonnet-5", "2026-10-21"],
    ["2026-10-21", CLAUDE, "bedrock-2023-05-31"],
    ["2026-10-21", "anthropic.claude-sonnet-4-20250514-v1:0", "bedrock-2023-05-31"],
    ["2026-10-21", "anthropic.claude-3-7-sonnet-20250219-v1:0", "bedrock-2023-05-31"],
  ])("receives a request of version %s for %s as %s", async (version, model, sent) => {
    const { fake, post } = await behind(json(message));
    const response = await post("/v1/messages", { model, ...hi }, { "anthropic-version": version });
    expect([response.status, bodyOf(fake.hits[0])]).toEqual([200, { anthropic_version: sent, ...hi }]);
  });

  it("receives large integers with all their digits", async () => {
    const { post, fake } = await behind(json(message));
    const id = "1234567890123456789";
    const use = `{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{"id":${id}}}]}`;
    const members = `"max_tokens":50,"messages":[${use}]`;
    await post("/v1/messages", `{"model":"${CLAUDE}",${members}}`);
    await post("/v1/messages/count_tokens", `{"model":"${CLAUDE}",${members}}`);
    const [called, counted] = fake.hits;
    expect(called?.body.toString()).toContain(`"input":{"id":${id}}`);
    const { input } = bodyOf(counted) as { input: { invokeModel: { body: string } } };
    expect(Buffer.from(input.invokeModel.body, "base64").toString()).toContain(`"input":{"id":${id}}`);
  });

  it("streams to clients of its own and of another dialect as Anthropic's own API does", async () => {
    const { fake, post, proxy } = await behind(frames(invokeStream(messageEvents)));
    const own = await post("/v1/messages", { model: CLAUDE, ...hi, stream: true });
    expect(own.headers.get("content-type")).toContain("text/event-stream");
    const text = await own.text();
    expect([...text.matchAll(/^event: (.*)$/gm)].map(([, name]) => name)).toEqual(
      messageEvents.map(({ type }) => type),
    );
    expect(fake.hits[0]?.url).toMatch(/\/invoke-with-response-stream$/);
    expect(bodyOf(fake.hits[0])).not.toHaveProperty("stream");
    const chat = await post("/v1/chat/completions", { model: CLAUDE, messages: hi.messages, stream: true });
    expect(await chat.text()).toMatch(/"content":"Hello".*data: \[DONE\]/s);
    expect(proxy.records.map(({ usage }) => usage?.output?.total)).toEqual([4, 4]);
  });

  it("reports an exception within a stream as Anthropic's error event", async () => {
    const start = invokeStream(messageEvents.slice(0, 3));
    const { post, proxy } = await behind(
      frames(Buffer.concat([start, exceptionMessage("throttlingException", "Too many tokens, please wait")])),
    );
    const text = await post("/v1/messages", { model: CLAUDE, ...hi, stream: true }).then((each) =>
      each.text(),
    );
    expect(text).toMatch(/event: error\ndata: .*"rate_limit_error".*Too many tokens, please wait/);
    expect(proxy.records.at(-1)?.errorMessage).toContain("Too many tokens");
  });

  it("ends a stream with an error if a checksum is wrong or the stream stops within a message", async () => {
    const bytes = invokeStream(messageEvents);
    const broken = Buffer.from(bytes);
    broken.writeUInt8(broken.readUInt8(bytes.length - 40) ^ 1, bytes.length - 40);
    for (const sent of [broken, bytes.subarray(0, bytes.length - 9)]) {
      const { post } = await behind(frames(sent));
      const text = await post("/v1/messages", { model: CLAUDE, ...hi, stream: true }).then((each) =>
        each.text(),
      );
      // If the whole response arrives in one read, no event has been sent, and the error is a JSON body.
      expect(text).toMatch(/^(?:event: error$|\{"type":"error")/m);
      expect(text).not.toContain("message_stop");
    }
  });

  it("returns errors in the client's form, with the vendor's reason", async () => {
    const { post } = await behind(
      json({ message: "Too many requests, please wait before trying again." }, 429, {
        "x-amzn-errortype": "ThrottlingException:http://internal.amazon.com/coral/com.amazon.bedrock/",
      }),
    );
    const own = await post("/v1/messages", { model: CLAUDE, ...hi });
    expect([own.status, await own.json()]).toMatchObject([
      429,
      {
        type: "error",
        error: { type: "rate_limit_error", message: expect.stringContaining("Too many requests") },
      },
    ]);
    const chat = await post("/v1/chat/completions", { model: CLAUDE, messages: hi.messages });
    expect([chat.status, await chat.json()]).toMatchObject([
      429,
      { error: { message: expect.stringContaining("Too many") } },
    ]);
  });

  it("counts tokens by CountTokens", async () => {
    const { fake, post } = await behind(json({ inputTokens: 12 }));
    const response = await post("/v1/messages/count_tokens", { model: CLAUDE, messages: hi.messages });
    expect(await response.json()).toEqual({ input_tokens: 12 });
    const { input } = bodyOf(fake.hits[0]) as { input: { invokeModel: { body: string } } };
    expect(fake.hits[0]?.url).toBe(`/model/${encodeURIComponent(CLAUDE)}/count-tokens`);
    expect(JSON.parse(Buffer.from(input.invokeModel.body, "base64").toString())).toMatchObject({
      messages: hi.messages,
      anthropic_version: "bedrock-2023-05-31",
    });
  });

  it("counts the tokens of requests that only InvokeModel accepts", async () => {
    const { fake, post } = await behind(json({ inputTokens: 12 }));
    const body = {
      model: CLAUDE,
      messages: [
        {
          role: "user",
          content: [{ type: "image", source: { type: "url", url: "https://images.example/a.png" } }],
        },
      ],
      tools: [{ type: "bash_20250124", name: "bash" }],
    };
    const response = await post("/v1/messages/count_tokens", body);
    expect([response.status, await response.json()]).toEqual([200, { input_tokens: 12 }]);
    const { input } = bodyOf(fake.hits[0]) as { input: { invokeModel: { body: string } } };
    const { messages, tools } = body;
    expect(JSON.parse(Buffer.from(input.invokeModel.body, "base64").toString())).toMatchObject({
      messages,
      tools,
    });
  });

  it("serves JSON that begins with a byte order mark or whitespace", async () => {
    const { fake, proxy } = await behind(json(message));
    const body = JSON.stringify({ model: CLAUDE, ...hi });
    for (const start of ["\n  ", "\ufeff"]) {
      const options = { method: "POST", headers: JSON_TYPE, body: `${start}${body}` };
      const response = await fetch(`${proxy.url}/v1/messages`, options);
      expect([response.status, await response.json()]).toEqual([200, message]);
      expect(bodyOf(fake.hits.at(-1))).toMatchObject(hi);
    }
  });

  it("is listed with the account's inference profiles", async () => {
    const profiles = [
      { inferenceProfileId: CLAUDE, inferenceProfileName: "EU Claude Sonnet 4.5", status: "ACTIVE" },
    ];
    const { proxy, fake } = await behind(json({ inferenceProfileSummaries: profiles }));
    const response = await fetch(`${proxy.url}/v1/models`);
    expect(await response.json()).toMatchObject({ data: [{ id: CLAUDE }] });
    expect(fake.hits[0]?.url).toBe("/inference-profiles?maxResults=1000");
  });
});

describe("other models on Amazon Bedrock", () => {
  const request = {
    model: NOVA,
    max_tokens: 100,
    temperature: 0.5,
    stop_sequences: ["END"],
    system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }],
    tools: [{ name: "get_weather", description: "Weather", input_schema: { type: "object" } }],
    tool_choice: { type: "tool", name: "get_weather" },
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "What is this?" },
          { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } },
          {
            type: "document",
            title: "A/B: report.pdf",
            source: { type: "base64", media_type: "application/pdf", data: "JVBE" },
          },
        ],
      },
      {
        role: "assistant",
        content: [{ type: "tool_use", id: "tooluse_1", name: "get_weather", input: { city: "Rome" } }],
      },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "tooluse_1", content: "sunny", is_error: true }],
      },
    ],
  };

  it("receive Converse requests with tools, images, documents, results and cache points", async () => {
    const { fake, post, problems } = await behind(
      json({
        output: {
          message: {
            role: "assistant",
            content: [
              { text: "Look:" },
              { toolUse: { toolUseId: "tooluse_2", name: "get_weather", input: { city: "Paris" } } },
            ],
          },
        },
        stopReason: "tool_use",
        usage: { inputTokens: 30, outputTokens: 7, totalTokens: 37, cacheReadInputTokens: 5 },
        metrics: { latencyMs: 10 },
      }),
    );
    const response = await post("/v1/messages", request);
    expect([problems, response.status]).toEqual([[], 200]);
    expect(await response.json()).toMatchObject({
      type: "message",
      content: [
        { type: "text", text: "Look:" },
        { type: "tool_use", id: "tooluse_2", name: "get_weather", input: { city: "Paris" } },
      ],
      stop_reason: "tool_use",
      usage: { input_tokens: 30, output_tokens: 7, cache_read_input_tokens: 5 },
    });
    expect(fake.hits[0]?.url).toBe(`/model/${encodeURIComponent(NOVA)}/converse`);
    expect(bodyOf(fake.hits[0])).toEqual({
      system: [{ text: "Be brief." }, { cachePoint: { type: "default" } }],
      messages: [
        {
          role: "user",
          content: [
            { text: "What is this?" },
            { image: { format: "png", source: { bytes: "iVBORw0KGgo=" } } },
            { document: { format: "pdf", name: "A B report pdf", source: { bytes: "JVBE" } } },
          ],
        },
        {
          role: "assistant",
          content: [{ toolUse: { toolUseId: "tooluse_1", name: "get_weather", input: { city: "Rome" } } }],
        },
        {
          role: "user",
          content: [
            { toolResult: { toolUseId: "tooluse_1", content: [{ text: "sunny" }], status: "error" } },
          ],
        },
      ],
      inferenceConfig: { maxTokens: 100, temperature: 0.5, stopSequences: ["END"] },
      toolConfig: {
        tools: [
          {
            toolSpec: {
              name: "get_weather",
              description: "Weather",
              inputSchema: { json: { type: "object" } },
            },
          },
        ],
        toolChoice: { tool: { name: "get_weather" } },
      },
    });
  });

  it("return large integers in the arguments of calls with all their digits", async () => {
    const use = '{"toolUse":{"toolUseId":"t","name":"f","input":{"id":1234567890123456789}}}';
    const { post } = await behind((_hit, response) => {
      response.writeHead(200, JSON_TYPE);
      response.end(`{"output":{"message":{"content":[${use}]}},"stopReason":"tool_use","usage":{}}`);
    });
    const response = await post("/v1/messages", { model: NOVA, ...hi });
    expect(await response.text()).toContain('"input":{"id":1234567890123456789}');
  });

  it("stream text, thinking and calls to clients of every dialect", async () => {
    const stream = converseStream([
      ["messageStart", { role: "assistant" }],
      ["contentBlockDelta", { contentBlockIndex: 0, delta: { reasoningContent: { text: "Hmm" } } }],
      ["contentBlockDelta", { contentBlockIndex: 0, delta: { reasoningContent: { signature: "c2ln" } } }],
      ["contentBlockStop", { contentBlockIndex: 0 }],
      ["contentBlockDelta", { contentBlockIndex: 1, delta: { text: "Hello" } }],
      ["contentBlockStop", { contentBlockIndex: 1 }],
      [
        "contentBlockStart",
        { contentBlockIndex: 2, start: { toolUse: { toolUseId: "tooluse_3", name: "get_weather" } } },
      ],
      ["contentBlockDelta", { contentBlockIndex: 2, delta: { toolUse: { input: '{"city":' } } }],
      ["contentBlockDelta", { contentBlockIndex: 2, delta: { toolUse: { input: '"Paris"}' } } }],
      ["contentBlockStop", { contentBlockIndex: 2 }],
      ["messageStop", { stopReason: "tool_use" }],
      [
        "metadata",
        { usage: { inputTokens: 20, outputTokens: 11, totalTokens: 31 }, metrics: { latencyMs: 9 } },
      ],
    ]);
    const { post, proxy } = await behind(frames(stream));
    const own = await post("/v1/messages", { ...request, stream: true }).then((each) => each.text());
    expect(own).toMatch(
      /"thinking":"Hmm".*"text":"Hello".*"id":"tooluse_3".*"stop_reason":"tool_use".*"output_tokens":11.*message_stop/s,
    );
    const chat = await post("/v1/chat/completions", {
      model: NOVA,
      stream: true,
      messages: [{ role: "user", content: "Weather in Paris?" }],
      tools: [{ type: "function", function: { name: "get_weather", parameters: { type: "object" } } }],
    }).then((each) => each.text());
    expect(chat).toMatch(/"name":"get_weather".*Paris.*"finish_reason":"tool_calls".*\[DONE\]/s);
    expect(proxy.records.map(({ usage }) => usage?.output?.total)).toEqual([11, 11]);
  });

  it.each([
    ["nests deeper than 256 levels", `{"output":${"[".repeat(300)}${"]".repeat(300)}}`],
    ["holds more than 2000000 values", `{"output":[${"0,".repeat(2_000_000)}0]}`],
    ["is larger than 64 MiB", `{"output":"${"x".repeat(64 * 1024 * 1024)}"}`],
  ])("fail if the response %s", async (reason, body) => {
    const { post } = await behind((_hit, response) => {
      response.writeHead(200, JSON_TYPE).end(body);
    });
    for (const path of ["/v1/chat/completions", "/v1/messages"]) {
      const response = await post(path, { model: NOVA, ...hi });
      expect(response.status).toBe(502);
      expect(await response.text()).toContain(reason);
    }
  });

  it("reject content that Converse does not accept instead of dropping it", async () => {
    const { post, fake } = await behind(json({}));
    const source = { type: "url", url: "https://example.com/a.png" };
    const response = await post("/v1/messages", {
      ...request,
      messages: [{ role: "user", content: [{ type: "image", source }] }],
    });
    expect([response.status, fake.hits.length]).toEqual([400, 0]);
    expect(await response.text()).toContain(
      "Converse does not accept images other than base64 data of a supported type",
    );
  });
});

describe("signing in to AWS", () => {
  const session: AwsKey = { id: "ASIASESSION", secret: "s3cr3t/session+key", token: "session-token" };

  it("uses a container's credentials and renews them before they expire", async () => {
    vi.stubEnv("AWS_ACCESS_KEY_ID", "");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "");
    let minutes = 2;
    const container = await startFakeUpstream((hit, response) =>
      json({
        AccessKeyId: session.id,
        SecretAccessKey: session.secret,
        Token: session.token,
        Expiration: new Date(Date.now() + minutes * 60_000).toISOString(),
      })(hit, response),
    );
    closers.push(container.close);
    vi.stubEnv("AWS_CONTAINER_CREDENTIALS_FULL_URI", `${container.url}/credentials`);
    vi.stubEnv("AWS_CONTAINER_AUTHORIZATION_TOKEN", "container-token");
    const { post, problems } = await behind(json(message), { key: session });
    expect((await post("/v1/messages", { model: CLAUDE, ...hi })).status).toBe(200);
    minutes = 60;
    for (let call = 0; call < 3; call += 1)
      expect((await post("/v1/messages", { model: CLAUDE, ...hi })).status).toBe(200);
    expect(problems).toEqual([]);
    expect(container.hits.length).toBe(2);
    expect(container.hits[0]?.headers.authorization).toBe("container-token");
  });

  it("assumes a role with the found credentials, once for all calls", async () => {
    const requests: string[] = [];
    const sts = await startFakeUpstream((hit, response) => {
      requests.push(hit.body.toString());
      const problem = findSignatureProblem(hit, KEY, "sts");
      if (problem !== undefined) return response.writeHead(403).end(`<Message>${problem}</Message>`);
      return response.end(
        `<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>${session.id}</AccessKeyId><SecretAccessKey>${session.secret}</SecretAccessKey><SessionToken>${session.token}</SessionToken><Expiration>${new Date(Date.now() + 3_600_000).toISOString()}</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`,
      );
    });
    closers.push(sts.close);
    const fake = await startFakeUpstream((hit, response) =>
      json(findSignatureProblem(hit, session, "bedrock") === undefined ? message : { message: "no" })(
        hit,
        response,
      ),
    );
    closers.push(fake.close);
    const aws = { region: "eu-west-3", role_arn: "arn:aws:iam::123456789012:role/proxy" };
    const proxy = await startTestProxy(
      {
        upstreams: { aws: { vendor: "bedrock", base_url: fake.url, aws } },
        models: [{ match: "*", upstream: "aws" }],
      },
      { AWS_ENDPOINT_URL_STS: `${sts.url}/` },
    );
    closers.push(proxy.close);
    const call = () =>
      fetch(`${proxy.url}/v1/messages`, {
        method: "POST",
        headers: JSON_TYPE,
        body: JSON.stringify({ model: CLAUDE, ...hi }),
      });
    const responses = await Promise.all([call(), call(), call()]);
    expect(await Promise.all(responses.map((each) => each.json()))).toEqual([message, message, message]);
    expect(requests.map((body) => Object.fromEntries(new URLSearchParams(body)))).toMatchObject([
      { Action: "AssumeRole", RoleArn: aws.role_arn },
    ]);
  });

  it("is replaced by an API key, which is sent unchanged", async () => {
    const fake = await startFakeUpstream(json(message));
    closers.push(fake.close);
    const proxy = await startTestProxy(
      {
        upstreams: { aws: { vendor: "bedrock", base_url: fake.url, aws: { region: "eu-west-3" } } },
        models: [{ match: "*", upstream: "aws" }],
      },
      { AWS_BEARER_TOKEN_BEDROCK: "bedrock-api-key-1" },
    );
    closers.push(proxy.close);
    await fetch(`${proxy.url}/v1/messages`, {
      method: "POST",
      headers: JSON_TYPE,
      body: JSON.stringify({ model: CLAUDE, ...hi }),
    });
    expect(fake.hits[0]?.headers.authorization).toBe("Bearer bedrock-api-key-1");
  });

  it("fails with the reason if there are no credentials", async () => {
    vi.stubEnv("AWS_ACCESS_KEY_ID", "");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "");
    const { post } = await behind(json(message));
    const response = await post("/v1/messages", { model: CLAUDE, ...hi });
    expect(response.status).toBe(502);
    expect(await response.text()).toContain("cannot sign in to the upstream aws: Could not load credentials");
  });

  it("needs a region, and a dialect that Bedrock has", () => {
    expect(() => configOf({ upstreams: { a: { vendor: "bedrock" } } })).toThrow(
      /a\.aws: Amazon Bedrock needs a region/,
    );
    expect(() =>
      configOf({
        upstreams: { a: { vendor: "bedrock", dialect: "responses", aws: { region: "eu-west-3" } } },
      }),
    ).toThrow(/a\.dialect: Amazon Bedrock has no responses API; use messages or chat-completions/);
    const { upstreams } = configOf({ upstreams: { a: { vendor: "bedrock" } } }, { AWS_REGION: "us-east-1" });
    expect(upstreams.get("a")?.baseUrl).toBe("https://bedrock-runtime.us-east-1.amazonaws.com");
  });
});

describe("AWS's event-stream encoding", () => {
  it("is decoded as in the specification's example", () => {
    const hex =
      "0000003d0000002007fd83960c636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e7b27666f6f273a27626172277d8d9c08b1";
    const [decoded, ...others] = new EventStreamDecoder().push(Buffer.from(hex, "hex"));
    expect(others).toEqual([]);
    expect(decoded?.headers).toEqual({ "content-type": "application/json" });
    expect(decoded?.payload.toString()).toBe("{'foo':'bar'}");
  });
});
