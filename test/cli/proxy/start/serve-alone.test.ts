import { once } from "node:events";
import { createServer } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { serveAlone } from "../../../../src/cli/proxy/start/serve-alone.ts";
import { configOf } from "../../../support/start-proxy.ts";

it("a proxy that accepts no more connections leaves its port to its successor", async () => {
  const config = { ...configOf({}), host: "127.0.0.1", port: 0 };
  const nowhere = { append: async () => {}, write: () => {}, afterWrite: () => {}, close: async () => {} };
  const output = { note: () => {}, result: async () => true, lostResult: false, interactive: false };
  const serving = await serveAlone(config, nowhere, output, undefined);
  onTestFinished(() => serving.close());
  const port = await serving.listen();
  await serving.refuse();
  const successor = createServer().listen(port, "127.0.0.1");
  onTestFinished(() => void successor.close());
  await once(successor, "listening");
  expect(successor.address()).toMatchObject({ port });
  await serving.drained();
});
