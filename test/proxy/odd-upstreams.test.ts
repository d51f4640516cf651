import { type AddressInfo, createServer, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { json, startFakeUpstream } from "../support/fake-upstream.ts";
import { isWholeRequest } from "../support/faulty-upstream.ts";
import { startTestProxy, until } from "../support/start-proxy.ts";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

const COMPLETION =
  '{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"hello"},"finish_reason":"stop"}]}';

/**
 * A proxy in front of an upstream that responds with these bytes, and the number of calls that reached the upstream.
 */
async function behind(bytes: (socket: Socket) => void, dialect = "chat-completions") {
  const calls = { count: 0 };
  const vendor = createServer((socket) => {
    socket.on("error", () => {});
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      if (!isWholeRequest(text)) return;
      text = "";
      calls.count += 1;
      bytes(socket);
    });
  });
  await new Promise<void>((resolve) => vendor.listen(0, "127.0.0.1", resolve));
  closers.push(() => new Promise((resolve) => vendor.close(resolve)));
  const base_url = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`;
  const proxy = await startTestProxy({
    upstreams: { main: { dialect, base_url } },
    models: [{ match: "*", upstream: "main" }],
  });
  closers.push(proxy.close);
  return { proxy, calls };
}

const chat = { model: "m", messages: [{ role: "user", content: "hi" }] };
/** The same upstream, called natively and translated. */
const BOTH_LANES = [
  ["/v1/chat/completions", chat],
  ["/v1/messages", { ...chat, max_tokens: 9 }],
] as const;
const post = (url: string, body: unknown) =>
  fetch(url, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json" },
  });

describe("unusual upstream responses", () => {
  it("with the interim status 101 are an error, and the call is not repeated", async () => {
    const { proxy, calls } = await behind((socket) =>
      socket.end("HTTP/1.1 101 Interim\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"),
    );
    for (const [path, body] of BOTH_LANES) {
      calls.count = 0;
      const response = await post(`${proxy.url}${path}`, body);
      expect([response.status, calls.count]).toEqual([502, 1]);
      expect(await response.text()).toContain("unexpected interim status");
    }
  });

  it.each([100, 102, 103])("may begin with any number of interim responses %d", async (status) => {
    const hints = `HTTP/1.1 ${status} Interim\r\nlink: </x>; rel=preload\r\n\r\n`.repeat(2);
    const { proxy, calls } = await behind((socket) =>
      socket.write(
        `${hints}HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${COMPLETION.length}\r\n\r\n${COMPLETION}`,
      ),
    );
    for (const [path, body] of BOTH_LANES) {
      calls.count = 0;
      const response = await post(`${proxy.url}${path}`, body);
      expect([response.status, calls.count, response.headers.get("link")]).toEqual([200, 1, null]);
      expect(await response.text()).toContain("hello");
    }
  });

  it("that broke off are not repeated, because they may have been charged", async () => {
    const { proxy, calls } = await behind((socket) =>
      socket.end(
        `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${COMPLETION.length + 9}\r\n\r\n${COMPLETION}`,
      ),
    );
    const response = await post(`${proxy.url}/v1/chat/completions`, chat);
    expect([response.status, calls.count]).toEqual([502, 1]);
    expect(await response.text()).toContain("was interrupted");
  });

  it("may name a content coding in capitals", async () => {
    const compressed = gzipSync(COMPLETION);
    const { proxy } = await behind((socket) => {
      socket.write(
        `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nContent-Encoding: GZIP\r\ncontent-length: ${compressed.length}\r\n\r\n`,
      );
      socket.write(compressed);
    });
    const response = await post(`${proxy.url}/v1/messages`, { ...chat, max_tokens: 9 });
    expect(await response.json()).toMatchObject({ content: [{ type: "text", text: "hello" }] });
    await post(`${proxy.url}/v1/chat/completions`, chat).then((native) => native.text());
  });

  it("that end within their last event are incomplete", async () => {
    const { proxy } = await behind((socket) =>
      socket.end(
        'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\ndata: {"choices":[{"delta":{"content":"a"}}]}\n\ndata: {"choices":[{"finish_reason":"st',
      ),
    );
    const response = await post(`${proxy.url}/v1/chat/completions`, { ...chat, stream: true });
    await expect(response.text()).rejects.toThrow();
    await until(() => proxy.records.length === 1);
    expect(proxy.records[0]?.errorMessage).toContain("ended before its last event");
  });

  it("that are JSON lists are relayed element by element, and one that stops early is reported as broken", async () => {
    let resume: (text: string) => void = () => {};
    const upstream = await startFakeUpstream(async (_hit, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.write('[{"candidates":[]}');
      response.end(
        await new Promise<string>((resolve) => {
          resume = resolve;
        }),
      );
    });
    closers.push(upstream.close);
    const proxy = await startTestProxy({
      upstreams: { main: { dialect: "generative-language", base_url: upstream.url } },
    });
    closers.push(proxy.close);
    const ask = async () => {
      const response = await post(`${proxy.url}/v1beta/models/m:streamGenerateContent`, { contents: [] });
      if (!response.body) throw new Error("no body");
      const pieces = response.body.getReader();
      const first = Buffer.from((await pieces.read()).value ?? []).toString();
      const rest = async () => {
        let text = "";
        for (let step = await pieces.read(); !step.done; step = await pieces.read())
          text += Buffer.from(step.value).toString();
        return text;
      };
      return { first, rest };
    };
    const whole = await ask();
    expect(whole.first).toBe('[{"candidates":[]}');
    resume(',{"candidates":[]}]');
    expect(await whole.rest()).toBe(',{"candidates":[]}]');
    const short = await ask();
    resume(',{"candidates":[');
    await expect(short.rest()).rejects.toThrow();
    await until(() => proxy.records.length === 2);
    expect(proxy.records[1]?.errorMessage).toContain(
      "response of the upstream main ended before the end of its JSON",
    );
  });
});

it("a body in an unsupported coding is rejected with the supported ones", async () => {
  const upstream = await startFakeUpstream(json({}));
  closers.push(upstream.close);
  const proxy = await startTestProxy({
    upstreams: { main: { dialect: "messages", base_url: upstream.url } },
  });
  closers.push(proxy.close);
  const response = await fetch(`${proxy.url}/v1/messages`, {
    method: "POST",
    body: "x",
    headers: { "content-type": "application/json", "content-encoding": "zstd" },
  });
  expect([response.status, await response.json()]).toEqual([
    415,
    expect.objectContaining({
      error: expect.objectContaining({ message: expect.stringContaining("gzip, deflate, br") }),
    }),
  ]);
});
