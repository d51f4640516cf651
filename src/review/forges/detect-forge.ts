import { AppError } from "../../errors.ts";
import type { RemoteAddress } from "./address.ts";
import { createForgeClient, type ForgeClient } from "./client.ts";
import type { NamedServer } from "./credentials.ts";
import type { ForgeName, RepositoryAddress } from "./forge.ts";
import type { ForgeOptions } from "./open-forge.ts";

/** A connection without a sign-in. */
type Connection = Pick<ForgeOptions, "fetch" | "signal">;

export interface DetectOptions extends Connection {
  /** Returns the path of the GitLab server at a host if the environment names it. */
  readonly gitlabPath: (host: string) => string | undefined;
  /** Returns the server with this host name if the environment names it. */
  readonly namedServer: (hostname: string) => NamedServer | undefined;
}

/**
 * Returns the repository of a remote, with its forge. On an unknown host, a path of more than two parts means GitLab;
 * otherwise detects GitHub Enterprise Server and GitLab by their responses to requests without a sign-in. Throws
 * `usage` if the host is neither. If the remote does not contain the port for HTTPS, uses the port of the server that
 * the environment names, or 443.
 */
export async function detectForge(remote: RemoteAddress, options: DetectOptions): Promise<RepositoryAddress> {
  const { path, isPortUnknown = false } = remote;
  const named = isPortUnknown ? options.namedServer(remote.host) : undefined;
  const host = named?.host ?? remote.host;
  const isPortGuessed = isPortUnknown && named === undefined;
  try {
    const isGitLabNamed = options.gitlabPath(host) !== undefined;
    const known =
      named?.forge ?? remote.forge ?? (isGitLabNamed ? "gitlab" : await askHost(host, path, options));
    if (known !== undefined) return await findBasePath({ forge: known, host, repository: path }, options);
  } catch (error) {
    if (!isPortGuessed || !(error instanceof AppError) || error.cause === undefined) throw error;
    throw new AppError(error.code, error.message, { cause: error, hint: portHint(host) });
  }
  throw new AppError("usage", `Found no GitHub, GitLab, Bitbucket or Azure DevOps server at ${host}`, {
    hint: isPortGuessed
      ? portHint(host)
      : "Pass the address of the pull request's page: sallyport review pr https://…",
  });
}

function portHint(host: string): string {
  return `The remote does not use HTTPS, so its address does not contain the port for HTTPS. If that is not 443, set GITLAB_HOST=https://${host}:PORT (for GitHub Enterprise Server, GH_HOST=${host}:PORT), or pass the address of the pull request's page.`;
}

async function askHost(host: string, path: string, connection: Connection): Promise<ForgeName | undefined> {
  // Only GitLab has nested groups.
  if (path.split("/").length > 2) return "gitlab";
  const github = openClient("github", host, "/api/v3", connection).send({ path: "/meta", allow: ANY_ERROR });
  if ((await github).headers.has("x-github-request-id")) return "github";
  return (await isGitLab(host, "", connection)) ? "gitlab" : undefined;
}

/**
 * Separates the path of a GitLab server from the path of the project: `/gitlab/octo/castle` is the project
 * `octo/castle` of a server at `/gitlab`, or a project in nested groups of a server at the root. May send requests
 * without a sign-in to the host.
 */
export async function findBasePath<Address extends RepositoryAddress>(
  address: Address,
  options: DetectOptions,
): Promise<Address> {
  const { forge, host, repository } = address;
  if (forge !== "gitlab" || host === "gitlab.com") return address;
  const named = options.gitlabPath(host);
  if (named !== undefined) return withBasePath(address, named);
  const parts = repository.split("/");
  if (parts.length < 3 || (await isGitLab(host, "", options))) return address;
  for (let count = 1; count <= Math.min(parts.length - 2, MAX_BASE_PARTS); count += 1) {
    const basePath = `/${parts.slice(0, count).map(encodeURIComponent).join("/")}`;
    if (await isGitLab(host, basePath, options)) return withBasePath(address, basePath);
  }
  return address;
}

/** Maximum folders of the path of a GitLab server. */
const MAX_BASE_PARTS = 3;

function withBasePath<Address extends RepositoryAddress>(address: Address, basePath: string): Address {
  const prefix = `${basePath.slice(1)}/`;
  const { repository } = address;
  // The URL of a remote over SSH does not contain the server's path.
  const project = repository.startsWith(prefix) ? repository.slice(prefix.length) : repository;
  return { ...address, basePath, repository: project };
}

const ANY_ERROR = Array.from({ length: 200 }, (_, index) => 400 + index);

function openClient(
  forge: ForgeName,
  host: string,
  path: string,
  { fetch, signal }: Connection,
): ForgeClient {
  return createForgeClient({ fetch, signal, forge, host, base: `https://${host}${path}`, signIn: undefined });
}

async function isGitLab(host: string, basePath: string, connection: Connection): Promise<boolean> {
  const client = openClient("gitlab", host, `${basePath}/api/v4`, connection);
  const response = await client.send({ path: "/version", allow: ANY_ERROR }).catch((error: unknown) => {
    // The host may run another program, which can redirect to a sign-in page on another host.
    if (error instanceof AppError && error.cause === undefined) return undefined;
    throw error;
  });
  return (
    response !== undefined &&
    [200, 401].includes(response.status) &&
    /"(?:version|message)"/.test(response.body.subarray(0, 1_000).toString())
  );
}
