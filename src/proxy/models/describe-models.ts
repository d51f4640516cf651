import type { IncomingHttpHeaders } from "node:http";
import type { ProxyConfig } from "../../config/proxy/config.ts";
import { AppError } from "../../errors.ts";
import type { ErrorDialect } from "../dialect-errors.ts";
import type { Dialect } from "../exchange/parts.ts";
import type { RouteDialect } from "../routes.ts";
import type { Runtime } from "../runtime.ts";
import type { CatalogueModel } from "./catalog.ts";

/** In whose shape and envelope a caller of a shared path wants its answer: told by the headers its SDK sends. */
export function callersDialect(route: RouteDialect | undefined, headers: IncomingHttpHeaders): ErrorDialect {
  if (route === undefined) return "plain";
  if (route !== "by-caller") return route;
  if (headers["anthropic-version"] !== undefined) return "messages";
  return headers["x-goog-api-key"] !== undefined ? "generative-language" : "chat-completions";
}

/** Every model that can be called by its own name, once: what the upstreams list, then names of rules. */
export async function allModels(runtime: Runtime): Promise<readonly CatalogueModel[]> {
  const listed = await runtime.catalogue.models();
  const seen = new Set<string>();
  return [...listed, ...namesOfRules(runtime.config)].filter(({ id }) => !seen.has(id) && seen.add(id));
}

/** The names that rules give models of their own: patterns that stand for one name alone. */
export function namesOfRules({
  rules,
  upstreams,
}: Pick<ProxyConfig, "rules" | "upstreams">): readonly CatalogueModel[] {
  return rules.flatMap(({ match: id, places }): CatalogueModel[] => {
    const upstream = upstreams.get(places[0]?.upstream ?? "");
    if (/[*?]/.test(id) || !upstream) return [];
    return [{ id, upstream, displayName: id, created: 0, ownedBy: upstream.name, raw: undefined }];
  });
}

/** One of them by the name it is called by: its own, or `upstream/model`. */
export async function findModel(runtime: Runtime, id: string): Promise<CatalogueModel | undefined> {
  const own = (await allModels(runtime)).find((model) => model.id === id);
  const slash = id.indexOf("/");
  if (own || slash < 1) return own;
  const listed = await runtime.catalogue.models();
  const there = listed.find(
    (model) => model.upstream.name === id.slice(0, slash) && model.id === id.slice(slash + 1),
  );
  return there && { ...there, id, raw: undefined };
}

/** A list in a dialect's shape, paged as that dialect pages. Throws `validation` for a page that is none. */
export function describeList(
  dialect: ErrorDialect,
  models: readonly CatalogueModel[],
  query: Readonly<Record<string, unknown>>,
): unknown {
  if (dialect === "messages") return messagesList(models, query);
  if (dialect !== "generative-language")
    return { object: "list", data: models.map((model) => describeModel("chat-completions", model)) };
  // An empty or zero member is one that was not said, as everywhere in this dialect.
  const asked = query["pageSize"] ?? query["page_size"];
  const size = pageSize(asked === "0" || asked === "" ? undefined : asked, 50);
  const from = placeOf(query["pageToken"] ?? query["page_token"]);
  const next =
    from + size < models.length
      ? { nextPageToken: Buffer.from(String(from + size)).toString("base64url") }
      : {};
  return { models: models.slice(from, from + size).map((model) => describeModel(dialect, model)), ...next };
}

function placeOf(token: unknown): number {
  if (token === undefined || token === "") return 0;
  const place = Buffer.from(String(token), "base64url").toString();
  if (!/^\d{1,9}$/.test(place)) throw new AppError("validation", "The page token is not one of ours");
  return Number(place);
}

function messagesList(models: readonly CatalogueModel[], query: Readonly<Record<string, unknown>>): unknown {
  const size = pageSize(query["limit"], 20);
  const after = placeNamed(models, query, "after_id");
  const before = placeNamed(models, query, "before_id");
  const from = before === undefined ? (after ?? -1) + 1 : Math.max(0, before - size);
  const to = before ?? from + size;
  const page = models.slice(from, to);
  return {
    data: page.map((model) => describeModel("messages", model)),
    has_more: before === undefined ? to < models.length : from > 0,
    first_id: page[0]?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
  };
}

/**
 * Where the model stands that a member of the query names. Throws `validation` for one that is not in the list (any more):
 * the first page in its place would have whoever walks the pages walk in a circle.
 */
function placeNamed(
  models: readonly CatalogueModel[],
  query: Readonly<Record<string, unknown>>,
  member: "after_id" | "before_id",
): number | undefined {
  const id = query[member];
  if (id === undefined || id === "") return undefined;
  const place = models.findIndex((model) => model.id === id);
  if (place < 0) throw new AppError("validation", `${member}: there is no such model in the list`);
  return place;
}

function pageSize(asked: unknown, usual: number): number {
  if (asked === undefined) return usual;
  const size = Number(asked);
  if (!Number.isInteger(size) || size < 1)
    throw new AppError("validation", "The page size must be a positive number");
  return Math.min(size, 1000);
}

/** One model in a dialect's shape; in the words of its upstream where that speaks the same dialect. */
export function describeModel(dialect: ErrorDialect, model: CatalogueModel): unknown {
  const { id, raw, upstream } = model;
  const kept = raw !== undefined && family(upstream.dialect) === family(dialect) ? raw : {};
  if (dialect === "messages") {
    const created = new Date(model.created * 1000).toISOString().replace(".000Z", "Z");
    return { type: "model", id, display_name: model.displayName, created_at: created, ...kept };
  }
  if (dialect === "generative-language") {
    const methods = ["generateContent", "streamGenerateContent", "countTokens"];
    return {
      name: `models/${id}`,
      version: "001",
      displayName: model.displayName,
      supportedGenerationMethods: methods,
      ...kept,
    };
  }
  return { id, object: "model", created: model.created, owned_by: model.ownedBy, ...kept };
}

function family(dialect: Dialect | "any" | "plain"): string {
  return dialect === "responses" || dialect === "completions" ? "chat-completions" : dialect;
}
