import { z } from "zod";
import { AppError } from "../../../errors.ts";
import { type ConnectionOptions, createForgeClient, type ForgeClient, parseJson } from "../client.ts";
import { isEnterpriseCloud } from "../forge.ts";

/** GitHub's REST API (https://docs.github.com/rest) and GraphQL API (https://docs.github.com/graphql). */
export interface GitHubApi {
  readonly client: ForgeClient;
  /** Sends a GraphQL query. Throws `forge_…` errors, also for errors of the query. */
  graphql<Shape>(schema: z.ZodType<Shape>, query: string, variables: object): Promise<Shape>;
}

function githubBase(host: string): string {
  if (host === "github.com") return "https://api.github.com";
  return isEnterpriseCloud(host) ? `https://api.${host}` : `https://${host}/api/v3`;
}

/** Creates the API of a host: github.com, a subdomain of ghe.com, or GitHub Enterprise Server. */
export function createGitHubApi(host: string, options: ConnectionOptions): GitHubApi {
  const base = githubBase(host);
  const client = createForgeClient({
    forge: "github",
    host,
    base,
    headers: { "x-github-api-version": "2022-11-28" },
    ...options,
  });
  const path = base.endsWith("/v3") ? base.replace(/\/v3$/, "/graphql") : `${base}/graphql`;
  return {
    client,
    async graphql(schema, query, variables) {
      const request = { method: "POST" as const, path, json: { query, variables }, isLimited };
      const response = await client.send(request);
      const { data, errors = [] } = parseJson(client, envelope, response.body, request);
      const [error] = errors;
      if (error) throw queryError(host, errors);
      return parseJson(client, schema, Buffer.from(JSON.stringify(data ?? null)), request);
    },
  };
}

const envelope = z.object({
  data: z.unknown(),
  errors: z.array(z.object({ message: z.string(), type: z.string().optional() })).optional(),
});

/** Reports whether a query exceeded a rate limit. GitHub reports this as an error in a response with the status 200. */
function isLimited(body: Buffer): boolean {
  // Most responses have data and no errors, and are not parsed twice.
  if (!body.includes('"errors"')) return false;
  try {
    const { errors = [] } = envelope.parse(JSON.parse(body.toString()));
    return errors.some(
      ({ type, message }) => type === "RATE_LIMITED" || /secondary rate limit/i.test(message),
    );
  } catch {
    return false;
  }
}

function queryError(
  host: string,
  errors: readonly { readonly message: string; readonly type?: string | undefined }[],
) {
  const text = errors
    .map(({ message }) => message)
    .join("; ")
    .slice(0, 500);
  const types = errors.map(({ type }) => type);
  if (types.includes("RATE_LIMITED"))
    return new AppError("forge_rate_limited", `${host} limits the rate of requests: ${text}`);
  if (types.includes("FORBIDDEN") || types.includes("INSUFFICIENT_SCOPES"))
    return new AppError("forge_forbidden", `${host} denied access: ${text}`, {
      hint: "The token needs `repo` (classic), or read and write access to pull requests.",
    });
  if (types.includes("NOT_FOUND")) return new AppError("forge_not_found", `${host}: ${text}`);
  return new AppError("forge_rejected", `${host} rejected a request: ${text}`);
}
