import { AppError } from "../../errors.ts";
import { findProfile } from "../dialects/index.ts";
import { ownMember } from "../exchange/json.ts";
import type { ModelOperation, Route } from "../routes.ts";

/** A model call as described by its path and query. */
export interface CalledOperation {
  readonly operation: Exclude<ModelOperation, "by-method">;
  /** The model, if the path names it. */
  readonly model: string | undefined;
  /** Whether the path or the query requests a stream. */
  readonly stream: boolean;
  /** Whether the stream is a JSON array instead of events (generative-language without `alt=sse`). */
  readonly array: boolean;
  /**
   * Returns the path below an upstream's base URL. `model` is the name at the upstream. Throws `validation` if the name
   * is not valid in a path.
   */
  readonly path: (model: string) => string;
  /** The query with its question mark and without the client's `key`, or an empty string. */
  readonly query: string;
}

const METHODS: Record<string, CalledOperation["operation"]> = {
  generateContent: "generate",
  streamGenerateContent: "generate",
  countTokens: "count-tokens",
  embedContent: "embed",
  batchEmbedContents: "embed",
};

/**
 * Parses path and query. Throws `not_found` for an unknown method or an invalid response id, and `validation` for an
 * invalid model name.
 */
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
      throw new AppError("not_found", "Unknown response");
    return {
      operation,
      model: undefined,
      stream: query.includes("stream=true"),
      array: false,
      path: () => underBase(route.path).replace(":id", id),
      query,
    };
  }
  return {
    operation: operation as CalledOperation["operation"],
    model: undefined,
    stream: false,
    array: false,
    path: () => underBase(route.path),
    query,
  };
}

/** Removes the version segment, which base URLs contain. */
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
    throw new AppError("validation", "Invalid model name: use only letters, digits and . _ : @ - /");
  return {
    operation,
    model: name,
    stream: method === "streamGenerateContent",
    array: method === "streamGenerateContent" && !/[?&](?:\$|%24)?alt=sse(?:&|$)/.test(query),
    path: (target) => {
      if (!isModelName(target))
        throw new AppError(
          "validation",
          "The upstream's model name cannot be part of a path: use only letters, digits and . _ : @ - /",
        );
      return `/models/${target}:${method}`;
    },
    query,
  };
}

/** Returns whether a name can be put into an upstream's path unescaped (path traversal). */
function isModelName(name: string): boolean {
  return (
    /^[\w.:@-]+(?:\/[\w.:@-]+)*$/.test(name) && name.length <= 512 && !/(?:^|\/)\.{1,2}(?:\/|$)/.test(name)
  );
}

/** Returns a query without the key of a generative-language client. */
export function withoutKey(query: string): string {
  if (!/key|%/i.test(query)) return query;
  const kept = query
    .slice(1)
    .split("&")
    .filter((pair) => [...new URLSearchParams(pair).keys()].every((name) => name.toLowerCase() !== "key"));
  return kept.length === 0 ? "" : `?${kept.join("&")}`;
}
