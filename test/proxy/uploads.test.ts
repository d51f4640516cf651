import { connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { type FakeUpstream, json, startFakeUpstream } from "../support/fake-upstream.ts";
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

/** As the vendor's own examples have it: the file first. */
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
    "go where %s sends them, though a file stands before it",
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

  it("take no model out of a file", async () => {
    const { proxy, near, far } = await setUp();
    const content = '--x\r\nContent-Disposition: form-data; name="model"\r\n\r\nhear\r\n--x--\r\n';
    expect(await (await transcribe(proxy, fileFirst("near/m", content))).json()).toEqual({ text: "near" });
    expect(far.hits).toHaveLength(0);
    expect(near.hits[0]?.body.toString()).toContain(content);
  });

  it("that have to be kept count among the bodies that are held", async () => {
    const { proxy, far } = await setUp({ limits: { in_flight: 100 } });
    const send = (body: string) =>
      sendRaw(portOf(proxy), `${HEAD}Content-Length: ${body.length}\r\n\r\n${body}`);
    const answer = await send(`--b\r\nContent-Disposition: form-data; name="file"\r\n\r\n${"x".repeat(200)}`);
    expect(answer).toMatch(/^HTTP\/1\.1 503 /);
    expect(answer).toContain('"code":"overloaded"');
    expect(far.hits).toHaveLength(0);
    const short = '--b\r\nContent-Disposition: form-data; name="model"\r\n\r\nhear\r\n--b--\r\n';
    expect(await send(short)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it("that are translated count whole among them, not by what was kept until their model came", async () => {
    const { proxy } = await setUp({
      limits: { in_flight: 200_000 },
      models: [{ match: "*", upstream: "other" }],
      upstreams: { other: { dialect: "generative-language", base_url: "http://127.0.0.1:9" } },
    });
    const form = new FormData();
    form.append("model", "hear");
    // Longer than what comes with the model in one read.
    form.append("file", new Blob(["x".repeat(300_000)], { type: "audio/wav" }), "a.wav");
    const answer = await transcribe(proxy, form);
    expect([answer.status, await answer.text()]).toEqual([
      503,
      expect.stringContaining('"code":"overloaded"'),
    ]);
  });

  it("that break off before their model are the client's doing", async () => {
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
