import { processEnvironment } from "../../config/paths.ts";
import type { ModelPrice } from "../../config/proxy/config.ts";
import type { ProxyFlags } from "../../config/proxy/settings.ts";
import { createModelCatalog } from "../../proxy/models/catalog.ts";
import { listRuleNames } from "../../proxy/models/describe-models.ts";
import { createModelDirectory } from "../../proxy/models/model-directory.ts";
import { createPools } from "../../proxy/upstream/pools.ts";
import { findModelData, findPrice, setModelLookup } from "../../proxy/usage/cost.ts";
import type { Output } from "../output.ts";
import { readProxyConfiguration } from "../proxy-configuration.ts";
import { table } from "../table.ts";

export interface ProxyModelsFlags extends ProxyFlags {
  readonly json: boolean;
}

/** Runs `sallyport proxy models`: prints the models that each upstream lists and the names that rules define. */
export async function listProxyModels(flags: ProxyModelsFlags, output: Output): Promise<number> {
  const { config } = await readProxyConfiguration(processEnvironment, flags, false);
  const pools = createPools(config.outboundProxies);
  try {
    const upstreams = [...config.upstreams.values()];
    const models = await createModelCatalog(upstreams, pools, "sallyport-cli").models();
    for (const upstream of upstreams)
      if (!models.some((model) => model.upstream === upstream))
        output.note(
          `The upstream ${upstream.name} lists no models. To find the reason, run: sallyport doctor`,
        );
    const named = listRuleNames(config).filter(({ id }) => !models.some((model) => model.id === id));
    const directory = createModelDirectory(config, pools, setModelLookup);
    await directory.load();
    const failure = directory.failure();
    if (failure !== undefined) output.note(`${failure}. The bundled data is shown instead.`);
    const rows = [...models, ...named].map(({ id, upstream, displayName }) => {
      const data = findModelData(upstream, id);
      return {
        id,
        upstream: upstream.name,
        dialect: upstream.dialect,
        display_name: displayName,
        context_window: data?.contextWindow ?? null,
        max_output_tokens: data?.maxOutputTokens ?? null,
        price: toShownPrice(findPrice(upstream, id)),
      };
    });
    const text = flags.json
      ? JSON.stringify(rows, null, 2)
      : table(
          ["model", "upstream", "dialect", "context", "$ per million tokens"],
          rows.map((row) => [
            row.id,
            row.upstream,
            row.dialect,
            row.context_window === null ? "" : String(row.context_window),
            row.price === null ? "" : `${row.price.input} in, ${row.price.output} out`,
          ]),
        );
    await output.result(text);
    return 0;
  } finally {
    await pools.destroy();
  }
}

function toShownPrice(price: ModelPrice | undefined) {
  if (price === undefined) return null;
  const { input, output, cacheRead = null, cacheWrite = null } = price;
  return { input, output, cache_read: cacheRead, cache_write: cacheWrite };
}
