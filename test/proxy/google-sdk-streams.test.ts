import { afterEach, describe, expect, it } from "vitest";
import { startFakeUpstream } from "../support/fake-upstream.ts";
import { question } from "../support/faulty-upstream.ts";
import { checkSignatures, readAsGoogleSdks } from "../support/google-sdk-streams.ts";
import { startTestProxy } from "../support/start-proxy.ts";
import { DIALECTS, EVENTS } from "../support/vendor-responses.ts";
import {
  chatResponse,
  chatStream,
  type Json,
  messagesResponse,
  messagesStream,
  runScene,
} from "./translate/harness.ts";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

const body = { contents: [{ role: "user", parts: [{ text: "Hi" }] }] };
const silence = () => new Promise((resolve) => setTimeout(resolve, 1_000));

describe("84 a generative-language stream, as Google's SDKs for Python, Go and JavaScript read it", () => {
  it.each(DIALECTS)("contains only chunks while a %s upstream is silent", async (dialect) => {
    const upstream = await startFakeUpstream(async (_hit, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      if (dialect === "messages") response.write('event: ping\ndata: {"type": "ping"}\n\n');
      response.write(EVENTS[dialect][0]);
      await silence();
      response.end(EVENTS[dialect].slice(1).join(""));
    });
    closers.push(upstream.close);
    const proxy = await startTestProxy({
      upstreams: { main: { dialect, base_url: upstream.url } },
      models: [{ match: "*", upstream: "main" }],
      timeouts: { ping: 0.25 },
    });
    closers.push(proxy.close);
    const { path, body: text } = question("generative-language", "m", true);
    const response = await fetch(`${proxy.url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: text,
    });
    const chunks = readAsGoogleSdks(await response.text());
    expect(JSON.stringify(chunks)).toContain("déjà");
  });

  it("contains no ping of a messages vendor, wherever it arrives", async () => {
    const response = messagesStream([
      { type: "ping" },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "ping" },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "ok" } },
      { type: "content_block_stop", index: 0 },
      { type: "ping" },
    ]);
    const received = await runScene({
      client: "generative-language",
      upstream: "messages",
      body,
      array: false,
      response,
    });
    expect(readAsGoogleSdks(received.text)).toHaveLength(2);
  });
});

/** Thinking of every vendor with every form of its signature. */
const thoughts = [
  { upstream: "messages", block: { type: "thinking", thinking: "Hm", signature: "Es8D+/=.x" } },
  { upstream: "messages", block: { type: "redacted_thinking", data: "gAAAAéA==" } },
] as const;

describe("40 signatures of other vendors, for Google's SDKs", () => {
  const detail = { type: "reasoning.encrypted", data: "gAAAAABo-_x==", format: "openai-responses-v1" };
  const scenes = [
    ...thoughts.map(({ upstream, block }) => ({
      upstream,
      response: messagesResponse([block, { type: "text", text: "ok" }]),
      signature: "signature" in block ? block.signature : block.data,
    })),
    {
      upstream: "chat-completions" as const,
      response: chatResponse({ content: "ok", reasoning_details: [detail] }),
      signature: detail.data,
    },
  ];

  it.each(scenes)("$signature is base64, and is restored from both alphabets", async (scene) => {
    const { upstream, response, signature } = scene;
    const received = await runScene({ client: "generative-language", upstream, body, response });
    checkSignatures(received.json);
    const [candidate] = received.json["candidates"] as { content: { parts: Json[] } }[];
    const parts = candidate?.content.parts ?? [];
    const urlSafe = parts.map((part) => {
      const { thoughtSignature: signature } = part;
      if (typeof signature !== "string") return part;
      return { ...part, thoughtSignature: signature.replaceAll("+", "-").replaceAll("/", "_") };
    });
    for (const turn of [parts, urlSafe]) {
      const contents = [...body.contents, { role: "model", parts: turn }, body.contents[0]];
      const next = await runScene({
        client: "generative-language",
        upstream,
        body: { ...body, contents },
        response,
      });
      expect(next.sentText).toContain(signature);
    }
  });

  it("are base64 in streams too", async () => {
    const response = chatStream([{ reasoning_details: [{ ...detail, index: 0 }] }, { content: "ok" }]);
    const received = await runScene({
      client: "generative-language",
      upstream: "chat-completions",
      body,
      array: false,
      response,
    });
    expect(JSON.stringify(readAsGoogleSdks(received.text))).toContain("thoughtSignature");
  });
});
