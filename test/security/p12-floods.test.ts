import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type FakeUpstream, json, startFakeUpstream } from "../support/fake-upstream.ts";
import { question } from "../support/faulty-upstream.ts";
import { startTestProxy, type TestProxy } from "../support/start-proxy.ts";
import { DIALECTS, WHOLE } from "../support/vendor-responses.ts";

const MEBIBYTE = 1024 * 1024;

let upstream: FakeUpstream;
let proxy: TestProxy;
beforeAll(async () => {
  upstream = await startFakeUpstream();
  proxy = await startTestProxy({
    upstreams: Object.fromEntries(
      DIALECTS.map((dialect) => [dialect, { dialect, base_url: upstream.url, models: [dialect] }]),
    ),
    models: [
      ...DIALECTS.map((dialect) => ({ match: `to-${dialect}`, upstream: dialect })),
      { match: "long", upstream: "messages", when: { min_tokens: 1_000_000 } },
      { match: "to-echo", upstream: "echo" },
    ],
  });
});
afterAll(async () => {
  await proxy.close();
  await upstream.close();
});
beforeEach(() => {
  upstream.respond = json({ ok: true });
  upstream.hits.length = 0;
  proxy.internal.length = 0;
});

async function post(path: string, body: string | Buffer) {
  const response = await fetch(`${proxy.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  return { status: response.status, text: await response.text() };
}

/** Returns as many of these as are needed for this number of bytes. */
const flood = (piece: string, bytes: number) => piece.repeat(Math.floor(bytes / piece.length));

/** A body with additional content at its end. */
const withMore = (body: string, more: string) => body.replace(/}$/, `,${more}}`);

const LIST = { "chat-completions": "messages", messages: "messages", responses: "input" } as const;
const listOf = (dialect: (typeof DIALECTS)[number]) =>
  dialect === "generative-language" ? "contents" : LIST[dialect];

describe.each(DIALECTS)("P12 a flood of values from a %s client", (client) => {
  const target = client === "messages" ? "chat-completions" : "messages";
  const { path, body } = question(client, `to-${target}`, false);

  it.each([
    [
      "empty elements where the conversation belongs",
      `"${listOf(client)}":[${flood("{},", 16 * MEBIBYTE)}{}]`,
    ],
    ["elements that nobody reads", `"x":[${flood("{},", 16 * MEBIBYTE)}{}]`],
    ["strings", `"x":[${flood('"",', 4 * MEBIBYTE)}""]`],
    ["members", flood('"a":1,', 4 * MEBIBYTE).slice(0, -1)],
  ])("is refused before it is parsed: %s", async (_what, more) => {
    const refused = await post(path, withMore(body, more));
    expect([refused.status, refused.text]).toEqual([
      413,
      expect.stringMatching(/more than [\d]+ (values|members)/),
    ]);
    expect([upstream.hits, proxy.internal]).toEqual([[], []]);
  });

  it("is rejected before it is parsed: nesting depth", async () => {
    const refused = await post(path, withMore(body, `"x":${"[".repeat(16 * MEBIBYTE)}`));
    expect([refused.status, proxy.internal]).toEqual([400, []]);
    const closed = await post(path, withMore(body, `"x":${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}`));
    expect([closed.status, closed.text]).toEqual([400, expect.stringContaining("deeper than 256 levels")]);
    expect([upstream.hits, proxy.internal]).toEqual([[], []]);
  });

  it("does not include a large body of few values", async () => {
    upstream.respond = json(WHOLE[target]);
    const text = 'A line with \\"quotes\\" and 1234567890123456789 \\n'.repeat(400_000);
    const large = body.replace(/"(?:text|content|input)":"/, (found) => `${found}${text}`);
    expect(large.length).toBeGreaterThan(16 * MEBIBYTE);
    expect((await post(path, large)).status).toBe(200);
    expect(upstream.hits[0]?.body.length).toBeGreaterThan(16 * MEBIBYTE);
  });

  it("passes the native lane, which does not parse bodies", async () => {
    upstream.respond = json(WHOLE[client]);
    const native = question(client, `to-${client}`, false);
    const flooded = withMore(native.body, `"x":[${flood("{},", 2 * MEBIBYTE)}{}]`);
    expect((await post(native.path, flooded)).status).toBe(200);
    expect(upstream.hits[0]?.body.length).toBeGreaterThan(2 * MEBIBYTE);
  });

  it("is rejected by the echo upstream and by a rule that reads the body", async () => {
    for (const model of client === "generative-language" ? ["to-echo"] : ["to-echo", "long"]) {
      const asked = question(client, model, false);
      const refused = await post(asked.path, withMore(asked.body, `"x":[${flood("{},", MEBIBYTE)}{}]`));
      expect([model, refused.status]).toEqual([model, 413]);
    }
  });
});

describe.each(DIALECTS)("P12 a flood of values from a %s upstream", (target) => {
  const client = target === "messages" ? "chat-completions" : "messages";

  it.each([
    ["one piece", false],
    ["one piece, where a stream was asked for", true],
  ])("is refused before it is parsed: %s", async (_what, stream) => {
    const list = { messages: "content", "chat-completions": "choices", responses: "output" };
    const name = target === "generative-language" ? "candidates" : list[target];
    const flooded = WHOLE[target].replace(/}$/, `,"${name}":[${flood("{},", 8 * MEBIBYTE)}{}]}`);
    upstream.respond = (_hit, response) =>
      response.writeHead(200, { "content-type": "application/json" }).end(flooded);
    const { path, body } = question(client, `to-${target}`, stream);
    const refused = await post(path, body);
    expect([refused.status, refused.text]).toEqual([502, expect.stringContaining("more than 130000 values")]);
    expect(proxy.internal).toEqual([]);
  });

  it("is rejected in an event, as is an event without end", async () => {
    for (const [event, reason] of [
      [`data: {"choices":[${flood("{},", 4 * MEBIBYTE)}{}]}\n\n`, "more than 130000 values"],
      [`data: "${"x".repeat(9 * MEBIBYTE)}`, "event of the stream is larger"],
    ] as const) {
      upstream.respond = (_hit, response) =>
        response.writeHead(200, { "content-type": "text/event-stream" }).end(event);
      const { path, body } = question(client, `to-${target}`, true);
      const refused = await post(path, body);
      expect([refused.status, refused.text]).toEqual([502, expect.stringContaining(reason)]);
      expect(proxy.internal).toEqual([]);
    }
  });
});

it("P12 a form of a million parts is rejected before it is read", async () => {
  const part = '--b\r\ncontent-disposition: form-data; name="x"\r\n\r\n\r\n';
  const response = await fetch(`${proxy.url}/v1/images/edits`, {
    method: "POST",
    headers: { "content-type": "multipart/form-data; boundary=b" },
    body: `--b\r\ncontent-disposition: form-data; name="model"\r\n\r\nto-generative-language\r\n${flood(part, 8 * MEBIBYTE)}--b--\r\n`,
  });
  expect([response.status, await response.text()]).toEqual([400, expect.stringContaining("1000 parts")]);
});
