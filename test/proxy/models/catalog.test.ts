import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createModelCatalog } from "../../../src/proxy/models/catalog.ts";
import { describeList } from "../../../src/proxy/models/describe-models.ts";
import { createPools } from "../../../src/proxy/upstream/pools.ts";
import { json, type Respond, startFakeUpstream } from "../../support/fake-upstream.ts";
import { configOf } from "../../support/start-proxy.ts";

async function start(respond: Respond) {
  const upstream = await startFakeUpstream(respond);
  const pools = createPools();
  onTestFinished(async () => {
    await pools.destroy();
    await upstream.close();
  });
  const { upstreams } = configOf({
    upstreams: { a: { dialect: "chat-completions", base_url: upstream.url } },
  });
  const catalog = createModelCatalog([...upstreams.values()], pools, "test");
  return { upstream, catalog, ids: async () => (await catalog.models()).map(({ id }) => id) };
}

it("lists models, whatever creation date an upstream reports", async () => {
  const odd = [1767323045, 1767323045.5, 1767323045500, 1767323045000000000, -1e300, "soon", null];
  const { catalog } = await start(
    json({ data: odd.map((created, index) => ({ id: `m${index}`, created })) }),
  );
  const models = await catalog.models();
  expect(models.map(({ created }) => created)).toEqual([1767323045, 1767323045, 1767323045, 0, 0, 0, 0]);
  expect(describeList("messages", models, {})).toMatchObject({ data: odd.map(() => ({ type: "model" })) });
});

describe("the model list of an upstream", () => {
  const list = (...ids: string[]) => json({ data: ids.map((id) => ({ id })) });
  const setTime = () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    return (ms: number) => void vi.setSystemTime(Date.now() + ms);
  };

  it("is fetched again 30 s after a temporary error", async () => {
    const pass = setTime();
    const { upstream, ids } = await start(json({}, 503));
    expect(await ids()).toEqual([]);
    upstream.respond = list("m");
    pass(29_000);
    expect([await ids(), upstream.hits.length]).toEqual([[], 1]);
    pass(2_000);
    await expect.poll(ids).toEqual(["m"]);
    expect(upstream.hits).toHaveLength(2);
  });

  it.each([401, 429, 500, 503])("is kept while the upstream returns %i", async (status) => {
    const pass = setTime();
    const { upstream, ids } = await start(list("m"));
    expect(await ids()).toEqual(["m"]);
    upstream.respond = json({}, status);
    pass(300_001);
    while (upstream.hits.length < 4) {
      expect(await ids()).toEqual(["m"]);
      await new Promise((resolve) => setImmediate(resolve));
      pass(30_001);
    }
    upstream.respond = list("n");
    await expect
      .poll(() => {
        pass(30_001);
        return ids();
      })
      .toEqual(["n"]);
  });

  it.each([404, 405, 501])(
    "is empty if the upstream returns %i, which means that it has none",
    async (status) => {
      const pass = setTime();
      const { upstream, ids } = await start(list("m"));
      expect(await ids()).toEqual(["m"]);
      upstream.respond = json({}, status);
      pass(300_001);
      await expect.poll(ids).toEqual([]);
      pass(30_001);
      expect([await ids(), upstream.hits.length]).toEqual([[], 2]);
    },
  );
});
