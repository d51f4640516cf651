import type { IncomingHttpHeaders } from "node:http";
import type { ProxyConfig } from "../../config/proxy/config.ts";
import type { ErrorDialect } from "../dialect-errors.ts";
import { DEFAULT_DIALECT, dialects, findProfile, getProfile } from "../dialects/index.ts";
import type { ModelListFormat } from "../exchange/dialect-profile.ts";
import type { Dialect } from "../exchange/parts.ts";
import type { RouteDialect } from "../routes.ts";
import type { Runtime } from "../runtime.ts";
import type { CatalogModel } from "./catalog.ts";

/** Returns the dialect of the response to a request. On a shared path, the headers that SDKs send determine it. */
export function callersDialect(route: RouteDialect | undefined, headers: IncomingHttpHeaders): ErrorDialect {
  if (route === undefined) return "plain";
  if (route !== "by-caller") return route;
  const isCaller = (dialect: Dialect) => headers[getProfile(dialect).client.callerHeader ?? ""] !== undefined;
  return dialects.find(isCaller) ?? DEFAULT_DIALECT;
}

/** Returns the models of the upstreams, then those that only rules name. */
export async function allModels(runtime: Runtime): Promise<readonly CatalogModel[]> {
  const listed = await runtime.catalog.models();
  const seen = new Set<string>();
  return [...listed, ...listRuleNames(runtime.config)].filter(({ id }) => !seen.has(id) && seen.add(id));
}

/** Returns a model for each rule whose pattern has no wildcards. */
export function listRuleNames({
  rules,
  upstreams,
}: Pick<ProxyConfig, "rules" | "upstreams">): readonly CatalogModel[] {
  return rules.flatMap(({ match: id, targets }): CatalogModel[] => {
    const upstream = upstreams.get(targets[0]?.upstream ?? "");
    if (/[*?]/.test(id) || !upstream) return [];
    return [{ id, upstream, displayName: id, created: 0, ownedBy: upstream.name, raw: undefined }];
  });
}

/** Returns the model with this name or this `upstream/model` name; undefined if there is none. */
export async function findModel(runtime: Runtime, id: string): Promise<CatalogModel | undefined> {
  const own = (await allModels(runtime)).find((model) => model.id === id);
  const slash = id.indexOf("/");
  if (own || slash < 1) return own;
  const listed = await runtime.catalog.models();
  const there = listed.find(
    (model) => model.upstream.name === id.slice(0, slash) && model.id === id.slice(slash + 1),
  );
  return there && { ...there, id, raw: undefined };
}

/**
 * Returns the page of the model list that `query` requests, in a dialect's form. Throws `validation` if `query` is
 * invalid.
 */
export function describeList(
  dialect: ErrorDialect,
  models: readonly CatalogModel[],
  query: Readonly<Record<string, unknown>>,
): unknown {
  return getModelList(dialect).createPage(models, query, (model) => describeModel(dialect, model));
}

/** Returns a model in a dialect's form. If the upstream uses the same form, all members that it sent are included. */
export function describeModel(dialect: ErrorDialect, model: CatalogModel): unknown {
  const form = getModelList(dialect);
  const { raw, upstream } = model;
  const isSameForm = findProfile(upstream.dialect)?.client.modelList === form;
  return { ...form.describe(model), ...(isSameForm ? raw : undefined) };
}

function getModelList(dialect: ErrorDialect): ModelListFormat {
  return (findProfile(dialect) ?? getProfile(DEFAULT_DIALECT)).client.modelList;
}
