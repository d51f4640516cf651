import { createServer, type IncomingMessage } from "node:http";
import { GoogleGenAI, type LiveServerMessage, Modality } from "@google/genai";
import OpenAI from "openai";
import { OpenAIRealtimeWS } from "openai/realtime/ws";
import { afterEach, describe, expect, it } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { selfSigned } from "../support/certificates.ts";
import { closeHere, listenHere } from "../support/mcp-servers.ts";
import { startTestProxy, until } from "../support/start-proxy.ts";

/** The vendors' SDKs with their WebSocket APIs, through the proxy to a vendor at wire level. */

const KEY = "sk-of-the-vendor-0123456789";
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** Starts a vendor whose sockets respond as `onMessage` defines, and a proxy in front of it. */
async function behind(
  dialect: string,
  onMessage: (message: Message, socket: WebSocket) => void,
  parts: Parameters<typeof startTestProxy>[2] = {},
) {
  const opened: IncomingMessage[] = [];
  const messages: Message[] = [];
  const closed: number[] = [];
  const server = createServer();
  const sockets = new WebSocketServer({ server });
  sockets.on("connection", (socket, request) => {
    opened.push(request);
    socket.on("close", (code) => closed.push(code));
    socket.on("message", (data) => {
      const message = JSON.parse(String(data)) as Message;
      messages.push(message);
      onMessage(message, socket);
    });
  });
  const url = await listenHere(server);
  closers.push(async () => {
    for (const client of sockets.clients) client.terminate();
    await closeHere(server);
  });
  const upstreams = { main: { dialect, base_url: url, api_key: KEY } };
  const proxy = await startTestProxy({ upstreams }, {}, parts);
  closers.push(proxy.close);
  return { proxy, opened, messages, closed };
}

type Message = Readonly<Record<string, unknown>>;
const send = (socket: WebSocket, ...messages: object[]) => {
  for (const message of messages) socket.send(JSON.stringify(message));
};

describe("the realtime client of the openai SDK", () => {
  it("holds a conversation through the proxy, with the upstream's key, and its usage is recorded", async () => {
    // The SDK opens every WebSocket with TLS.
    const tls = selfSigned("localhost");
    const respond = (message: Message, socket: WebSocket) => {
      if (message["type"] === "session.update")
        send(socket, { type: "session.updated", event_id: "e1", session: message["session"] });
      if (message["type"] !== "response.create") return;
      const usage = { total_tokens: 12, input_tokens: 5, output_tokens: 7 };
      send(
        socket,
        { type: "response.output_text.delta", event_id: "e2", delta: "Hel" },
        { type: "response.output_text.delta", event_id: "e3", delta: "lo" },
        { type: "response.done", event_id: "e4", response: { id: "resp_1", status: "completed", usage } },
      );
    };
    const { proxy, opened, messages, closed } = await behind("responses", respond, { tls });
    const client = new OpenAI({
      baseURL: `${proxy.url.replace("127.0.0.1", "localhost")}/v1`,
      apiKey: "sk-of-the-client-0123",
    });
    const realtime = new OpenAIRealtimeWS({ model: "gpt-realtime", options: { ca: tls.cert } }, client);
    const problems: unknown[] = [];
    let text = "";
    let isDone = false;
    let session: unknown;
    realtime.on("error", (error) => problems.push(error));
    realtime.on("session.updated", (event) => {
      ({ session } = event);
      realtime.send({ type: "response.create" });
    });
    realtime.on("response.output_text.delta", ({ delta }) => {
      text += delta;
    });
    realtime.on("response.done", () => {
      isDone = true;
    });
    const update = { type: "realtime" as const, instructions: "Be brief: déjà vu" };
    realtime.socket.on("open", () => realtime.send({ type: "session.update", session: update }));
    await until(() => isDone);
    expect([problems, text, session]).toEqual([[], "Hello", update]);
    expect(messages.map(({ type }) => type)).toEqual(["session.update", "response.create"]);
    expect(opened.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ["/v1/realtime?model=gpt-realtime", `Bearer ${KEY}`],
    ]);
    realtime.close({ code: 1000, reason: "OK" });
    await until(() => proxy.records.length === 1 && closed.length === 1);
    expect(closed).toEqual([1000]);
    expect(proxy.records[0]).toMatchObject({
      model: "gpt-realtime",
      status: 101,
      usage: { input: { total: 5 }, output: { total: 7 } },
    });
  });
});

describe("the Live client of the Google SDK", () => {
  it("sets up a session and takes turns through the proxy, with the upstream's key in place of its own", async () => {
    const { proxy, opened, messages, closed } = await behind("generative-language", (message, socket) => {
      if ("setup" in message) send(socket, { setupComplete: { sessionId: "s1" } });
      if (!("clientContent" in message)) return;
      const modelTurn = { role: "model", parts: [{ text: "Hello" }] };
      const usageMetadata = { promptTokenCount: 5, responseTokenCount: 7, totalTokenCount: 12 };
      send(
        socket,
        { serverContent: { modelTurn } },
        { serverContent: { turnComplete: true }, usageMetadata },
      );
    });
    const client = new GoogleGenAI({ apiKey: "AIza-of-the-client", httpOptions: { baseUrl: proxy.url } });
    const received: LiveServerMessage[] = [];
    const problems: unknown[] = [];
    const session = await client.live.connect({
      model: "gemini-live-x",
      config: { responseModalities: [Modality.TEXT], systemInstruction: "Be brief" },
      callbacks: {
        onmessage: (message) => void received.push(message),
        onerror: (event) => void problems.push(event.message),
      },
    });
    session.sendClientContent({ turns: [{ role: "user", parts: [{ text: "Hi" }] }], turnComplete: true });
    await until(() => received.some(({ serverContent }) => serverContent?.turnComplete === true));
    expect(problems).toEqual([]);
    expect(received.map(({ text }) => text ?? "").join("")).toBe("Hello");
    expect(messages).toMatchObject([
      { setup: { model: "models/gemini-live-x", generationConfig: { responseModalities: ["TEXT"] } } },
      { clientContent: { turnComplete: true } },
    ]);
    const [upgrade] = opened;
    expect(upgrade?.url).toMatch(
      /^\/ws\/google\.ai\.generativelanguage\.v1beta\.GenerativeService\.BidiGenerateContent/,
    );
    expect(`${upgrade?.url} ${JSON.stringify(upgrade?.headers)}`).not.toContain("AIza-of-the-client");
    expect(upgrade?.headers["x-goog-api-key"]).toBe(KEY);
    session.close();
    await until(() => proxy.records.length === 1 && closed.length === 1);
    expect(proxy.records[0]).toMatchObject({
      status: 101,
      usage: { input: { total: 5 }, output: { total: 7 } },
    });
  });
});
