import { type AddressInfo, createServer, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { startTestProxy } from "../../support/start-proxy.ts";
import { EVENTS, goodBody } from "../../support/vendor-responses.ts";

/** Starts an upstream that calls `respond` with the data of each connection. Resolves with its URL. */
async function startRawUpstream(respond: (socket: Socket, request: string) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    socket.on("data", (chunk) => respond(socket, chunk.toString("latin1")));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function startProxyFor(url: string, timeouts: object = {}) {
  const common = { base_url: url, models: ["m"], timeouts };
  const proxy = await startTestProxy({
    upstreams: {
      native: { dialect: "messages", ...common },
      foreign: { dialect: "chat-completions", ...common },
    },
    mcp: { tools: { url: `${url}/mcp` } },
  });
  onTestFinished(() => proxy.close());
  const ask = (upstream: string, more: object = {}, path = "/v1/messages") =>
    fetch(`${proxy.url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        model: `${upstream}/m`,
        max_tokens: 5,
        messages: [{ role: "user", content: "x" }],
        ...more,
      }),
    });
  return { proxy, ask };
}

const DIALECTS = { native: "messages", foreign: "chat-completions" } as const;
const dialectIn = (request: string) =>
  request.includes("/chat/completions") ? "chat-completions" : "messages";

function whole(body: string): string {
  return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

describe("interim responses", () => {
  it.each([
    ["native", {}],
    ["native", { stream: true }],
    ["foreign", {}],
    ["foreign", { stream: true }],
  ])("cannot extend first_byte (%s, %j)", async (upstream, more) => {
    const url = await startRawUpstream((socket) => {
      const timer = setInterval(() => socket.write("HTTP/1.1 102 Processing\r\n\r\n"), 20);
      socket.on("close", () => clearInterval(timer));
    });
    const { proxy, ask } = await startProxyFor(url, { first_byte: 0.3 });
    expect((await ask(upstream, more)).status).toBe(504);
    expect(proxy.records.at(-1)?.errorMessage).toContain("1xx");
  });

  const CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n";
  const FIRST = {
    "one 100": [CONTINUE],
    several: ["HTTP/1.0 100\r\nx-a: b\r\n\r\n", CONTINUE, "HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n"],
    "one in pieces": [...CONTINUE],
    "one after another status": ["HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n", CONTINUE],
    "several after others, in pieces": [
      ..."HTTP/1.1 102 Processing\r\n\r\n",
      CONTINUE,
      ...`HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n${CONTINUE}`,
    ],
    none: [],
  };
  describe.each(Object.entries(FIRST))("before a response: %s", (_name, first) => {
    it.each(["native", "foreign"] as const)(
      "are skipped (%s), also on a reused connection",
      async (upstream) => {
        const url = await startRawUpstream(async (socket, request) => {
          for (const piece of first) {
            socket.write(piece);
            await new Promise((resolve) => setImmediate(resolve));
          }
          socket.write(whole(goodBody(dialectIn(request), false)));
        });
        const { ask } = await startProxyFor(url);
        for (let call = 0; call < 3; call += 1) expect((await ask(upstream)).status).toBe(200);
      },
    );

    it("are skipped if they arrive in one packet with the response, also for MCP", async () => {
      const url = await startRawUpstream((socket) => socket.write(`${first.join("")}${whole("{}")}`));
      const { ask } = await startProxyFor(url);
      expect((await ask("native", {}, "/mcp/tools/mcp")).status).toBe(200);
      expect((await ask("native")).status).toBe(200);
    });
  });

  it("are left unchanged within a body", async () => {
    const events = [`: ${CONTINUE}`, CONTINUE, ...EVENTS[DIALECTS.native]];
    const url = await startRawUpstream(async (socket) => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n");
      for (const event of events) {
        socket.write(event);
        await new Promise((resolve) => setImmediate(resolve));
      }
      socket.end();
    });
    const { ask } = await startProxyFor(url);
    expect(await (await ask("native", { stream: true })).text()).toBe(events.join(""));
  });

  it.each([
    "HTTP/1.1 100",
    "HTTP/1.1 100 Continue\r\n",
    `HTTP/1.1 100 ${"x".repeat(100_000)}`,
    "HTTP/1.1 10",
  ])("cause a 502 if the connection ends within one: %j", async (piece) => {
    const url = await startRawUpstream((socket) => socket.end(piece));
    const { ask } = await startProxyFor(url);
    expect((await ask("native")).status).toBe(502);
  });
});
