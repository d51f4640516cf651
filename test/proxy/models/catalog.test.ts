import { expect, it, onTestFinished } from "vitest";
import { createModelCatalog } from "../../../src/proxy/models/catalog.ts";
import { describeList } from "../../../src/proxy/models/describe-models.ts";
import { createPools } from "../../../src/proxy/upstream/pools.ts";
import { json, startFakeUpstream } from "../../support/fake-upstream.ts";
import { configOf } from "../../support/start-proxy.ts";

it("lists models, whatever creation date an upstream reports", async () => {
  const odd = [1767323045, 1767323045.5, 1767323045500, 1767323045000000000, -1e300, "soon", null];
  const upstream = await startFakeUpstream(
    json({ data: odd.map((created, index) => ({ id: `m${index}`, created })) }),
  );
  const pools = createPools();
  onTestFinished(async () => {
    await pools.destroy();
    await upstream.close();
  });
  const { upstreams } = configOf({
    upstreams: { a: { dialect: "chat-completions", base_url: upstream.url } },
  });
  const models = await createModelCatalog([...upstreams.values()], pools, "test").models();
  expect(models.map(({ created }) => created)).toEqual([1767323045, 1767323045, 1767323045, 0, 0, 0, 0]);
  expect(describeList("messages", models, {})).toMatchObject({ data: odd.map(() => ({ type: "model" })) });
});
