import { expect, it, onTestFinished } from "vitest";
import { json, startFakeUpstream } from "../support/fake-upstream.ts";
import { question } from "../support/faulty-upstream.ts";
import { startTestProxy, until } from "../support/start-proxy.ts";
import { WHOLE } from "../support/vendor-responses.ts";

it.each([
  ["relayed", "messages"],
  ["translated", "responses"],
] as const)(
  "a client that disconnects during model lookup causes no upstream call: a call that would be %s",
  async (_lane, client) => {
    let list = () => {};
    const upstream = await startFakeUpstream(async (hit, response) => {
      if (hit.url.endsWith("/messages")) return json(WHOLE.messages)(hit, response);
      await new Promise<void>((resolve) => {
        list = resolve;
      });
      json({ data: [{ id: "m" }] })(hit, response);
    });
    const proxy = await startTestProxy({
      upstreams: {
        a: { dialect: "messages", base_url: upstream.url },
        b: { dialect: "chat-completions", base_url: upstream.url, models: [] },
      },
    });
    onTestFinished(async () => {
      await proxy.close();
      await upstream.close();
    });
    const { path, body } = question(client, "m", false);
    const headers = { "content-type": "application/json" };
    const controller = new AbortController();
    const hasLeft = new Promise((resolve) =>
      proxy.server.app.server.once("request", (_request, response) => response.once("close", resolve)),
    );
    const response = fetch(`${proxy.url}${path}`, {
      method: "POST",
      headers,
      body,
      signal: controller.signal,
    });
    await until(() => upstream.hits.length > 0);
    controller.abort();
    await expect(response).rejects.toThrow();
    await hasLeft;
    list();
    await until(() => proxy.records.length === 1);
    expect(proxy.records[0]).toMatchObject({
      status: 499,
      errorMessage: expect.stringContaining("disconnected"),
    });
    expect(upstream.hits.map(({ url }) => url)).toEqual([expect.stringContaining("/models")]);
  },
);
