import { once } from "node:events";
import { request } from "node:http";
import { expect, it, onTestFinished } from "vitest";
import { json, startFakeUpstream } from "../../support/fake-upstream.ts";
import { question } from "../../support/faulty-upstream.ts";
import { startTestProxy, until } from "../../support/start-proxy.ts";
import { WHOLE } from "../../support/vendor-responses.ts";

/** More than sockets hold between two ends. */
const LONG = "x".repeat(12 * 1024 * 1024);

it("a proxy that stops sends a slow client the whole of a finished response", async () => {
  const upstream = await startFakeUpstream(json(WHOLE.messages.replace("déjà", LONG)));
  const proxy = await startTestProxy({
    upstreams: { main: { dialect: "messages", base_url: upstream.url } },
    models: [{ match: "*", upstream: "main" }],
  });
  onTestFinished(async () => {
    await proxy.close();
    await upstream.close();
  });
  const { path, body } = question("chat-completions", "m", false);
  const headers = { "content-type": "application/json" };
  const call = request(`${proxy.url}${path}`, { method: "POST", headers }).end(body);
  const [response] = await once(call, "response");
  await until(() => proxy.records.length === 1);
  const drained = proxy.server.drain();
  let text = "";
  for await (const bytes of response.setEncoding("utf8")) text += bytes;
  expect(JSON.parse(text).choices[0].message.content).toContain(LONG);
  await drained;
});
