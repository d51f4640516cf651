import { AppError } from "../../errors.ts";
import { findProfile } from "../dialects/index.ts";
import { ownMember } from "../exchange/own-member.ts";
import type { ModelOperation, Route } from "../routes.ts";

/** A model call as path and query name it. */
export interface CalledOperation {
  readonly operation: Exclude<ModelOperation, "by-method">;
  /** The model, where the path names it. */
  readonly model: string | undefined;
  /** Whether the path asks for a stream (generative-language). */
  readonly stream: boolean;
  /** A stream as one JSON array, not events (generative-language without `alt=sse`). */
  readonly array: boolean;
  /** The path under an upstream's base URL, for the model's name there. */
  readonly path: (model: string) => string;
  /** With its question mark, without the proxy's key. */
  readonly query: string;
}

const METHODS: Record<string, CalledOperation["operation"]> = {
  generateContent: "generate",
  streamGenerateContent: "generate",
  countTokens: "count-tokens",
  embedContent: "embed",
  batchEmbedContents: "embed",
};

/** Reads path and query. Throws `not_found` for a method nobody knows, `validation` for a model name that is none. */
export function calledOperation(
  route: Route,
  url: string,
  params: Readonly<Record<string, string>>,
): CalledOperation {
  const at = url.indexOf("?");
  const query = at < 0 ? "" : withoutKey(url.slice(at));
  const { operation } = route;
  if (findProfile(route.dialect)?.client.namesModelInPath)
    return byMethod(route, query, params["model"] ?? params["*"] ?? "");
  if (operation === "stored-response") {
    const id = params["id"] ?? "";
    if (!/^[\w.:-]{1,512}$/.test(id) || /^\.{1,2}$/.test(id))
      throw new AppError("not_found", "There is no such response");
    return {
      operation,
      model: undefined,
      stream: query.includes("stream=true"),
      array: false,
      path: () => underBase(route.path).replace(":id", id),
      query,
    };
  }
  const known = plain.get(route) ?? plainOperation(route);
  return query === "" ? known : { ...known, query };
}

/** What a route without parameters calls is always the same. */
const plain = new Map<Route, CalledOperation>();

function plainOperation(route: Route): CalledOperation {
  const path = underBase(route.path);
  const operation = route.operation as CalledOperation["operation"];
  const called = { operation, model: undefined, stream: false, array: false, path: () => path, query: "" };
  plain.set(route, called);
  return called;
}

/** A base URL has the version segment. */
function underBase(path: string): string {
  return path.replace(/^\/v1/, "");
}

function byMethod(route: Route, query: string, rest: string): CalledOperation {
  const bySlash = /^(.+)\/(countTokens)$/.exec(rest);
  const split = bySlash ?? /^(.+):([^:/]+)$/.exec(rest);
  const model = route.operation === "count-tokens" ? rest : (split?.[1] ?? rest);
  const method = route.operation === "count-tokens" ? "countTokens" : (split?.[2] ?? "generateContent");
  const operation = ownMember(METHODS, method);
  if (!operation)
    throw new AppError("not_found", `There is no method ${JSON.stringify(method.slice(0, 80))}`);
  const name = model.replace(/^models\//, "");
  if (!isModelName(name))
    throw new AppError("validation", "The model's name may have letters, digits and . _ : @ - /");
  return {
    operation,
    model: name,
    stream: method === "streamGenerateContent",
    array: method === "streamGenerateContent" && !/[?&](?:\$|%24)?alt=sse(?:&|$)/.test(query),
    path: (target) => {
      if (!isModelName(target)) throw new AppError("validation", "The model's name does not fit into a path");
      return `/models/${target}:${method}`;
    },
    query,
  };
}

/** Names go into an upstream's path as they are, so that nothing in them may lead elsewhere. */
function isModelName(name: string): boolean {
  return (
    /^[\w.:@-]+(?:\/[\w.:@-]+)*$/.test(name) && name.length <= 512 && !/(?:^|\/)\.{1,2}(?:\/|$)/.test(name)
  );
}

function withoutKey(query: string): string {
  if (!/key|%/i.test(query)) return query;
  const kept = query
    .slice(1)
    .split("&")
    .filter((pair) => [...new URLSearchParams(pair).keys()].every((name) => name.toLowerCase() !== "key"));
  return kept.length === 0 ? "" : `?${kept.join("&")}`;
}
