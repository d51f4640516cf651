import { type ConnectionOptions, createForgeClient, type ForgeClient } from "../client.ts";
import type { RepositoryAddress } from "../forge.ts";

/** Creates a client of the REST API (https://docs.gitlab.com/api/rest/) of gitlab.com or of a self-managed server. */
export function createGitLabClient(
  { host, basePath = "" }: Pick<RepositoryAddress, "host" | "basePath">,
  options: ConnectionOptions,
): ForgeClient {
  // GitLab accepts personal, project, group and OAuth tokens in the `authorization` header.
  return createForgeClient({ forge: "gitlab", host, base: `https://${host}${basePath}/api/v4`, ...options });
}

/** Returns the path of a project in the API. */
export function projectPath({ repository }: Pick<RepositoryAddress, "repository">): string {
  return `/projects/${encodeURIComponent(repository)}`;
}
