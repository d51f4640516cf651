import { afterEach, describe, expect, it } from "vitest";
import { json, startFakeUpstream } from "../../support/fake-upstream.ts";
import { startTestProxy } from "../../support/start-proxy.ts";

const KEY = "sk-limited-0123456789abcdef";
/** One microdollar for each token. */
const prices = { "*": { input: 1, output: 1 } };
/** Tokens that are reserved for each output, and for an image. */
const OUTPUT = 1_024;
const IMAGE = 1_600;
const BOUNDARY = "limit";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

const budget = (micros: number) => ({ budgets: [{ usd: micros / 1_000_000, period: "total" }] });

/** Creates a form of text fields and one file. */
function createForm(fields: readonly (readonly [name: string, value: string])[], bytes: number): string {
  const file = `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="a.bin"\r\ncontent-type: application/octet-stream\r\n\r\n${"a".repeat(bytes)}\r\n`;
  const parts = fields.map(
    ([name, value]) => `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  return `${file}${parts.join("")}--${BOUNDARY}--\r\n`;
}

async function start(limits: object, usage: object, upstreamSettings: object = {}) {
  const upstream = await startFakeUpstream(json({ text: "hi", data: [{ b64_json: "aGk=" }], usage }));
  closers.push(upstream.close);
  const proxy = await startTestProxy(
    {
      auth_mode: "strict",
      api_keys: [{ name: "alice", key_env: "TEST_LIMITED_KEY", limits }],
      upstreams: {
        vendor: { dialect: "chat-completions", base_url: upstream.url, prices, ...upstreamSettings },
      },
      models: [{ match: "*", upstream: "vendor" }],
    },
    { TEST_LIMITED_KEY: KEY },
  );
  closers.push(proxy.close);
  const send = async (path: string, body: string) => {
    const response = await fetch(`${proxy.url}/v1/${path}`, {
      method: "POST",
      headers: {
        "content-type": `multipart/form-data; boundary=${BOUNDARY}`,
        authorization: `Bearer ${KEY}`,
      },
      body,
    });
    await response.text();
    return response.status;
  };
  return { proxy, upstream, send };
}

describe("an upload of a key with a budget", () => {
  const images = createForm(
    [
      ["model", "m"],
      ["n", "2"],
    ],
    1_000,
  );
  const audio = createForm([["model", "m"]], 100_000);
  /** As OpenAI reports them for gpt-image-1 and gpt-4o-transcribe. */
  const usage = { input_tokens: 300, output_tokens: 40, total_tokens: 340 };

  it.each([
    ["images/edits", images, IMAGE + 2 * OUTPUT],
    ["audio/transcriptions", audio, Math.ceil(audio.length / 500) + OUTPUT],
  ] as const)(
    "to %s is reserved before it is sent, and charged as it was used",
    async (path, form, needed) => {
      const short = await start(budget(needed - 1), usage);
      expect([await short.send(path, form), short.upstream.hits]).toEqual([429, []]);
      const { send, proxy, upstream } = await start(budget(needed + 340), usage);
      expect([await send(path, form), await send(path, form), await send(path, form)]).toEqual([
        200, 200, 429,
      ]);
      expect(upstream.hits[1]?.body.length).toBe(form.length);
      expect(proxy.records[0]?.cost).toBe(340 / 1_000_000);
    },
  );

  it("is counted against the tokens a minute of its upstream", async () => {
    const { send, upstream } = await start({}, usage, { limits: { tpm: IMAGE + OUTPUT } });
    expect([await send("images/edits", images), upstream.hits]).toEqual([429, []]);
  });

  it("reserves input and output once for each call that edits an image", async () => {
    const google = { dialect: "generative-language" };
    const { send, upstream } = await start(budget(2 * (IMAGE + OUTPUT) - 1), usage, google);
    expect([await send("images/edits", images), upstream.hits]).toEqual([429, []]);
  });
});
