import dns from "node:dns";
import { once } from "node:events";
import { connect, createServer, isIP } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import { serveAlone } from "../../../../src/cli/proxy/start/serve-alone.ts";
import { configOf } from "../../../support/start-proxy.ts";

async function serve(host: string) {
  const config = { ...configOf({}), host, port: 0 };
  const nowhere = { append: async () => {}, write: () => {}, afterWrite: () => {}, close: async () => {} };
  const output = { note: () => {}, result: async () => true, lostResult: false, interactive: false };
  const serving = await serveAlone(config, nowhere, output, undefined);
  onTestFinished(() => serving.close());
  return { serving, port: await serving.listen() };
}

it("a proxy that accepts no more connections leaves its port to its successor", async () => {
  const { serving, port } = await serve("127.0.0.1");
  await serving.refuse();
  const successor = createServer().listen(port, "127.0.0.1");
  onTestFinished(() => void successor.close());
  await once(successor, "listening");
  expect(successor.address()).toMatchObject({ port });
  await serving.drained();
});

it.runIf(process.platform !== "win32")(
  "a proxy on localhost hands over its listener, the only one",
  async () => {
    const addresses = ["127.0.0.1", "::1"].map((address) => ({ address, family: isIP(address) }));
    vi.spyOn(dns, "lookup").mockImplementation(((host: string, ...rest: readonly unknown[]) => {
      const found = addresses.filter(({ address }) => address === host || isIP(host) === 0);
      const respond = rest.at(-1) as (...result: unknown[]) => void;
      const isForAll = rest.some((each) => typeof each === "object" && each !== null && "all" in each);
      process.nextTick(() =>
        isForAll ? respond(null, found) : respond(null, found[0]?.address, found[0]?.family),
      );
    }) as typeof dns.lookup);
    onTestFinished(() => void vi.restoreAllMocks());
    const { serving, port } = await serve("localhost");
    expect(serving.listener()).toBeTypeOf("number");
    const other = connect(port, "::1");
    await expect(once(other, "connect")).rejects.toThrow();
  },
);
