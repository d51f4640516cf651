import { type AddressInfo, connect, createServer } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { type FakeUpstream, type Hit, json, startFakeUpstream } from "../support/fake-upstream.ts";
import { sendRaw } from "../support/raw-http.ts";
import { startTestProxy, type TestProxy, until } from "../support/start-proxy.ts";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function setUp(
  more: object = {},
): Promise<{ proxy: TestProxy; near: FakeUpstream; far: FakeUpstream }> {
  const near = await startFakeUpstream(json({ text: "near" }));
  const far = await startFakeUpstream(json({ text: "far" }));
  const proxy = await startTestProxy({
    upstreams: {
      near: { dialect: "chat-completions", base_url: near.url },
      far: { dialect: "chat-completions", base_url: far.url },
    },
    models: [{ match: "hear", upstream: "far", model: "whisper-large" }],
    ...more,
  });
  closers.push(near.close, far.close, proxy.close);
  return { proxy, near, far };
}

const FILE = "RIFF".repeat(50_000);

/** The order of the vendor's examples: the file first. */
function fileFirst(model: string, content = FILE): FormData {
  const form = new FormData();
  form.append("file", new Blob([content], { type: "audio/wav" }), "a.wav");
  form.append("model", model);
  return form;
}

const HEAD =
  "POST /v1/audio/transcriptions HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=b\r\n";

const portOf = (proxy: TestProxy) => Number(new URL(proxy.url).port);

const transcribe = (proxy: TestProxy, body: FormData) =>
  fetch(`${proxy.url}/v1/audio/transcriptions`, { method: "POST", body });

describe("uploads", () => {
  it.each(["hear", "far/whisper-large"])(
    "are routed to %s, even if a file precedes the model",
    async (model) => {
      const { proxy, near, far } = await setUp();
      expect(await (await transcribe(proxy, fileFirst(model))).json()).toEqual({ text: "far" });
      expect(near.hits).toHaveLength(0);
      const [hit] = far.hits;
      const type = hit?.headers["content-type"] ?? "";
      const form = await new Response(new Uint8Array(hit?.body ?? []), {
        headers: { "content-type": type },
      }).formData();
      expect(form.get("model")).toBe("whisper-large");
      expect(await (form.get("file") as File).text()).toBe(FILE);
      expect(hit?.headers["content-length"]).toBe(String(hit?.body.length));
      expect(proxy.records[0]).toMatchObject({ model, upstream: "far", upstreamModel: "whisper-large" });
    },
  );

  it("are not routed by a model name inside a file", async () => {
    const { proxy, near, far } = await setUp();
    const content = '--x\r\nContent-Disposition: form-data; name="model"\r\n\r\nhear\r\n--x--\r\n';
    expect(await (await transcribe(proxy, fileFirst("near/m", content))).json()).toEqual({ text: "near" });
    expect(far.hits).toHaveLength(0);
    expect(near.hits[0]?.body.toString()).toContain(content);
  });

  it("count as buffered bodies if they must be kept", async () => {
    const { proxy, far } = await setUp({ limits: { in_flight: 100 } });
    const send = (body: string) =>
      sendRaw(portOf(proxy), `${HEAD}Content-Length: ${body.length}\r\n\r\n${body}`);
    const response = await send(
      `--b\r\nContent-Disposition: form-data; name="file"\r\n\r\n${"x".repeat(200)}`,
    );
    expect(response).toMatch(/^HTTP\/1\.1 503 /);
    expect(response).toContain('"code":"overloaded"');
    expect(far.hits).toHaveLength(0);
    const short = '--b\r\nContent-Disposition: form-data; name="model"\r\n\r\nhear\r\n--b--\r\n';
    expect(await send(short)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it("count completely as buffered bodies if they are translated", async () => {
    const { proxy } = await setUp({
      limits: { in_flight: 200_000 },
      models: [{ match: "*", upstream: "other" }],
      upstreams: { other: { dialect: "generative-language", base_url: "http://127.0.0.1:9" } },
    });
    const form = new FormData();
    form.append("model", "hear");
    // Longer than the data that arrives in one read with the model.
    form.append("file", new Blob(["x".repeat(300_000)], { type: "audio/wav" }), "a.wav");
    const response = await transcribe(proxy, form);
    expect([response.status, await response.text()]).toEqual([
      503,
      expect.stringContaining('"code":"overloaded"'),
    ]);
  });

  it("that break off before the model are an error of the client", async () => {
    const { proxy } = await setUp();
    const seen = new Promise((resolve) => proxy.server.app.server.once("request", resolve));
    const socket = connect(portOf(proxy), "127.0.0.1");
    socket.write(`${HEAD}Content-Length: 1000\r\n\r\n--b\r\n`);
    await seen;
    socket.destroy();
    await until(() => proxy.records.length === 1);
    expect(proxy.records[0]).toMatchObject({ status: 499 });
  });
});

/** The order of most clients: fields first, so that the proxy need not read the file before it forwards it. */
function modelFirst(model: string): FormData {
  const form = new FormData();
  form.append("model", model);
  form.append("file", new Blob([FILE], { type: "audio/wav" }), "a.wav");
  return form;
}

async function formIn(hit: Hit | undefined): Promise<{ model: unknown; file: string }> {
  const headers = { "content-type": hit?.headers["content-type"] ?? "" };
  const form = await new Response(new Uint8Array(hit?.body ?? []), { headers }).formData();
  return { model: form.get("model"), file: await (form.get("file") as File).text() };
}

const limited = json({ error: { message: "slow down" } }, 429);

describe("an upload whose first target fails", () => {
  it("is sent again completely with the next key", async () => {
    const { proxy, near } = await setUp();
    near.respond = (hit, response) =>
      (hit.headers.authorization?.endsWith("one") ? limited : json({ text: "near" }))(hit, response);
    proxy.reload({
      upstreams: {
        near: { dialect: "chat-completions", base_url: near.url, api_keys: ["sk-key-one", "sk-key-two"] },
      },
    });
    for (const form of [modelFirst("hear"), fileFirst("hear")]) {
      near.hits.length = 0;
      expect(await (await transcribe(proxy, form)).json()).toEqual({ text: "near" });
      const [first, last] = [near.hits[0], near.hits.at(-1)];
      expect(last?.body.equals(first?.body ?? Buffer.alloc(0))).toBe(true);
      expect(await formIn(last)).toEqual({ model: "hear", file: FILE });
    }
  });

  it("continues at the next target of its rule, with the model's name there", async () => {
    const { proxy, near, far } = await setUp({
      models: [{ match: "hear", upstream: ["near/w1", "far/w-2"] }],
    });
    near.respond = limited;
    const response = await transcribe(proxy, modelFirst("hear"));
    expect([await response.json(), response.headers.get("x-sallyport-upstream")]).toEqual([
      { text: "far" },
      "far",
    ]);
    expect(await formIn(near.hits[0])).toEqual({ model: "w1", file: FILE });
    expect(await formIn(far.hits[0])).toEqual({ model: "w-2", file: FILE });
    expect(proxy.records[0]).toMatchObject({ retries: 1, upstream: "far", upstreamModel: "w-2" });
  });

  it("continues at a target that needs a translation, and back", async () => {
    const { proxy, near, far } = await setUp();
    const google = { dialect: "generative-language", base_url: far.url };
    const open = { dialect: "chat-completions", base_url: near.url };
    const spoken = { candidates: [{ content: { parts: [{ text: "from afar" }] }, finishReason: "STOP" }] };
    for (const [order, responses, text] of [
      [["near", "far"], [limited, json(spoken)], "from afar"],
      [["far", "near"], [json({ text: "near" }), limited], "near"],
    ] as const) {
      proxy.reload({ upstreams: { near: open, far: google }, models: [{ match: "*", upstream: order }] });
      [near.respond, far.respond] = responses;
      expect(await (await transcribe(proxy, modelFirst("hear"))).json()).toMatchObject({ text });
    }
    for (const hit of near.hits) expect(await formIn(hit)).toEqual({ model: "hear", file: FILE });
  });

  it("continues if the first target rejects it before it was received", async () => {
    const { proxy, far } = await setUp();
    const hasty = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () =>
        socket.end("HTTP/1.1 429 Too Many\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}"),
      );
    });
    await new Promise<void>((resolve) => hasty.listen(0, "127.0.0.1", resolve));
    closers.push(() => new Promise((resolve) => hasty.close(resolve)));
    const base_url = `http://127.0.0.1:${(hasty.address() as AddressInfo).port}`;
    proxy.reload({
      upstreams: {
        near: { dialect: "chat-completions", base_url },
        far: { dialect: "chat-completions", base_url: far.url },
      },
      models: [{ match: "*", upstream: ["near", "far"] }],
    });
    expect(await (await transcribe(proxy, modelFirst("hear"))).json()).toEqual({ text: "far" });
    expect(await formIn(far.hits[0])).toEqual({ model: "hear", file: FILE });
  });

  it("fails if there was no room to keep it, or no other target", async () => {
    for (const settings of [
      { models: [{ match: "*", upstream: ["near", "far"] }], limits: { in_flight: FILE.length } },
      { models: [{ match: "*", upstream: "near" }] },
    ]) {
      const { proxy, near, far } = await setUp(settings);
      near.respond = limited;
      const response = await transcribe(proxy, modelFirst("hear"));
      expect([response.status, await response.text()]).toEqual([429, expect.stringContaining("slow down")]);
      expect([near.hits.length, far.hits.length]).toEqual([1, 0]);
    }
  });

  it("is not sent in part to another target if the client exceeds the declared length", async () => {
    const { proxy, far } = await setUp({
      models: [{ match: "*", upstream: ["near", "far"] }],
      limits: { body: 1000 },
    });
    const start = '--b\r\nContent-Disposition: form-data; name="model"\r\n\r\nhear\r\n--b\r\n';
    const pieces = [start, "x".repeat(600), "x".repeat(600)].map(
      (text) => `${text.length.toString(16)}\r\n${text}\r\n`,
    );
    const response = await sendRaw(
      portOf(proxy),
      `${HEAD}Transfer-Encoding: chunked\r\n\r\n${pieces.join("")}0\r\n\r\n`,
    );
    expect(response).toMatch(/^HTTP\/1\.1 413 /);
    expect(far.hits).toHaveLength(0);
  });
});
