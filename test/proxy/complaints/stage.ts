import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterEach, expect } from "vitest";
import { type FakeUpstream, json, type Respond, startFakeUpstream } from "../../support/fake-upstream.ts";
import { startTestProxy, type TestProxy } from "../../support/start-proxy.ts";
import { type ClientDialect, WHOLE } from "../../support/vendor-responses.ts";
import type { Json } from "../translate/harness.ts";

/** The proxy on a real socket, with one upstream on another socket that serves every model. */
export interface Stage {
  readonly proxy: TestProxy;
  readonly upstream: FakeUpstream;
  /** Returns the body of the upstream's nth call, by default the last. */
  readonly sent: (at?: number) => Json;
  readonly anthropic: Anthropic;
  readonly openai: OpenAI;
}

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** `more` is added to the upstream's configuration, `settings` to the proxy's. */
export async function stage(
  dialect: ClientDialect,
  settings: object = {},
  more: object = {},
): Promise<Stage> {
  const upstream = await startFakeUpstream(json(WHOLE[dialect]));
  closers.push(upstream.close);
  const proxy = await startTestProxy({
    upstreams: { main: { dialect, base_url: upstream.url, api_key: "sk-upstream-0123456789", ...more } },
    models: [{ match: "*", upstream: "main" }],
    ...settings,
  });
  closers.push(async () => {
    await proxy.close();
    expect(proxy.internal).toEqual([]);
  });
  return {
    proxy,
    upstream,
    sent: (at = -1) => JSON.parse(upstream.hits.at(at)?.body.toString() ?? "null"),
    anthropic: new Anthropic({ apiKey: "sk-client", baseURL: proxy.url, maxRetries: 0 }),
    openai: new OpenAI({ apiKey: "sk-client", baseURL: `${proxy.url}/v1`, maxRetries: 0 }),
  };
}

/** Sends JSON, or a body unchanged, and returns the unread response. */
export function post(proxy: TestProxy, path: string, body: Json | string, headers: object = {}) {
  return fetch(`${proxy.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

/** A response with this event stream, sent unchanged. */
export function stream(text: string | Buffer): Respond {
  return (_hit, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(text);
  };
}
