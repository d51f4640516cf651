import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { readableLine } from "../../src/proxy/observability/readable-line.ts";
import { recordLine } from "../../src/proxy/observability/request-log.ts";
import { createRedactor } from "../../src/proxy/redact.ts";
import { json, startFakeUpstream } from "../support/fake-upstream.ts";
import { startTestProxy, type TestProxy } from "../support/start-proxy.ts";

/** The tests of everything that the built command writes are in test/e2e/key-leaks.test.ts. */
const CANARIES = {
  proxyKey: "sk-canary-proxy-key-0001",
  upstreamKey: "sk-canary-upstream-key-0002",
  secondKey: "sk-canary-second-key-0003",
  configuredHeader: "canary-configured-header-0004",
  mcpHeader: "canary-mcp-header-0005",
  clientKey: "sk-canary-client-key-0006",
  queryKey: "sk-canary-query-key-0007",
  cookie: "canary-cookie-0008",
};
const OWN = [
  CANARIES.proxyKey,
  CANARIES.upstreamKey,
  CANARIES.secondKey,
  CANARIES.configuredHeader,
  CANARIES.mcpHeader,
];

const CALLS = [
  ["/v1/messages", '{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"x"}]}'],
  ["/v1/messages", '{"model":"other","max_tokens":1,"messages":[{"role":"user","content":"x"}]}'],
  ["/v1/chat/completions", '{"model":"o","stream":true,"messages":[{"role":"user","content":"x"}]}'],
  ["/v1beta/models/m:generateContent", '{"contents":[{"parts":[{"text":"x"}]}]}'],
  ["/v1/messages", "not json"],
  ["/mcp/tools/mcp", '{"jsonrpc":"2.0","id":1,"method":"ping"}'],
  ["/internal/warmup", '{"model":"m"}'],
] as const;

/** Encoded forms of a text that can be decoded. */
function disguised(text: string): string {
  const characters = [...text].map((character) => character.charCodeAt(0).toString(16));
  return [
    ...["", "u", "us"].map((before) => Buffer.from(before + text).toString("base64")),
    Buffer.from(`user:${text}`).toString("base64url"),
    Buffer.from(text).toString("hex"),
    characters.map((hex) => `%${hex}`).join(""),
    characters.map((hex) => `\\u00${hex.toUpperCase()}`).join(""),
  ].join(" ");
}

/** A text, and the texts that can be decoded from it. */
function readBack(text: string): string {
  const runs = [...text.matchAll(/[\w+/-]{12,}/g)].flatMap(([run]) => [
    Buffer.from(run, "base64").toString("latin1"),
    Buffer.from(run, "hex").toString("latin1"),
  ]);
  const unescaped = text.replace(/(?:%|\\+u00)([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return [text, ...runs, unescaped].join("\n");
}

/** Responses that repeat parts of the request, as several vendors do in their errors. */
const leaks = Object.values(CANARIES).join(" ");
const disguisedLeaks = Object.values(CANARIES).map(disguised).join(" ");
const okay = JSON.stringify({ id: "x", content: [], choices: [], candidates: [] });
const RESPONDERS = [
  json({ error: { message: `Incorrect API key provided: ${leaks}`, type: leaks } }, 401),
  json({ type: "error", error: { type: "x", message: leaks } }, 500, {
    "x-echo": leaks,
    "set-cookie": leaks,
  }),
  json(`<html>${leaks}</html>`, 502, { "content-type": "text/html" }),
  json({ error: encodeURIComponent(leaks) }, 400),
  json({ error: { message: disguisedLeaks, type: disguisedLeaks } }, 403, {
    "x-request-id": `${CANARIES.upstreamKey} ${disguisedLeaks}`,
    "www-authenticate": `Basic ${Buffer.from(leaks).toString("base64")}`,
    "retry-after": CANARIES.upstreamKey,
  }),
  json(disguisedLeaks, 400, { "content-type": "text/plain" }),
  json(okay, 200, {
    "x-request-id": leaks,
    "anthropic-organization-id": disguisedLeaks,
    "mcp-session-id": leaks,
    "www-authenticate": `Bearer error="${CANARIES.mcpHeader}"`,
  }),
  json(`data: ${okay}\n\n`, 200, { "content-type": "text/event-stream", "x-ratelimit-reset": leaks }),
];

async function collectResponses(proxy: TestProxy): Promise<string> {
  const received: string[] = [];
  for (const [path, body] of CALLS)
    for (const key of [CANARIES.proxyKey, CANARIES.clientKey]) {
      const response = await fetch(`${proxy.url}${path}?key=${CANARIES.queryKey}`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "x-api-key": key,
          "x-goog-api-key": key,
          cookie: CANARIES.cookie,
        },
        body,
      });
      const text = await response.text();
      received.push(JSON.stringify([...response.headers]));
      // The body of an MCP server is relayed unchanged: the server received only its own header and none of these
      // secrets.
      if (!path.startsWith("/mcp/")) received.push(text);
    }
  for (const path of ["/", "/metrics", "/readyz", "/v1/models"])
    received.push(
      await (await fetch(`${proxy.url}${path}`, { headers: { "x-api-key": CANARIES.proxyKey } })).text(),
    );
  received.push(
    ...proxy.records.map(recordLine),
    ...proxy.records.map(readableLine),
    proxy.internal.map(String).join("\n"),
  );
  return received.join("\n");
}

describe("P5 a secret", () => {
  it.each(RESPONDERS.map((respond, index) => [index, respond] as const))(
    "is in no answer, no page and no log, though the upstream repeats it (%i)",
    async (_index, respond) => {
      const upstream = await startFakeUpstream(respond);
      const base = { base_url: upstream.url, api_keys: [CANARIES.upstreamKey, CANARIES.secondKey] };
      const proxy = await startTestProxy({
        auth_mode: "strict",
        api_keys: [CANARIES.proxyKey],
        upstreams: {
          a: {
            dialect: "messages",
            ...base,
            headers: { "x-team-token": CANARIES.configuredHeader },
            models: ["m"],
          },
          c: { dialect: "chat-completions", ...base, models: ["o", "other"] },
          g: { dialect: "generative-language", ...base, models: ["m"] },
        },
        mcp: {
          tools: { url: `${upstream.url}/mcp`, headers: { authorization: `Bearer ${CANARIES.mcpHeader}` } },
        },
      });
      onTestFinished(async () => {
        await proxy.close();
        await upstream.close();
      });
      const received = readBack(await collectResponses(proxy));
      for (const secret of OWN) expect(received).not.toContain(secret);
      // The client's query is forwarded to an MCP server, because several servers accept their key in it.
      const hits = upstream.hits.filter(({ url }) => !url.startsWith("/mcp"));
      const sent = JSON.stringify(hits.map(({ url, rawHeaders }) => [url, rawHeaders]));
      for (const secret of [CANARIES.proxyKey, CANARIES.clientKey, CANARIES.queryKey, CANARIES.cookie])
        expect(sent).not.toContain(secret);
    },
  );

  it("is also redacted in its URL-encoded form, the longest first", () => {
    const secrets = ["sk/secret+long value", "sk/secret"];
    const text = `a sk/secret+long value b ${encodeURIComponent("sk/secret+long value")} c sk/secret d sk%2Fsecret`;
    expect(createRedactor(secrets)(text)).toBe("a [redacted] b [redacted] c [redacted] d [redacted]");
  });

  it("is redacted in base64 at every offset; other texts are unchanged", () => {
    const secret = fc.stringMatching(/^[!-~]{8,60}$/);
    fc.assert(
      fc.property(secret, fc.string(), fc.string(), fc.boolean(), (text, before, after, isUrl) => {
        const redact = createRedactor([text]);
        const encoded = Buffer.from(before + text + after).toString(isUrl ? "base64url" : "base64");
        expect(redact(`"${encoded}"`)).toBe('"[redacted]"');
        expect(readBack(redact(disguised(text)))).not.toContain(text);
        const other = `${before}${after}`;
        if (!other.includes(text)) expect(redact(other)).toBe(other);
      }),
    );
  });

  it.each(["\\\\", "%25", "A"])("is searched for once in a long run of %j", (piece) => {
    const run = piece.repeat(1_000_000);
    expect(createRedactor(["sk-secret-key", "AAAAAAAAAAA"])(`${run}sk-secret-key`)).toMatch(/\[redacted\]$/);
  });

  it("may be part of its replacement", () => {
    expect(createRedactor(["redacted", "redacted]"])("a redacted b")).toBe("a [redacted] b");
  });
});
