import { createForgeClient, type ForgeClient, type ForgeClientOptions } from "../client.ts";
import type { SignIn } from "../credentials.ts";
import type { RepositoryAddress } from "../forge.ts";

/** Creates a client of GitLab's REST API (https://docs.gitlab.com/api/rest/), of gitlab.com or a server of one's own. */
export function createGitLabClient(
  host: string,
  signIn: SignIn | undefined,
  options: Pick<ForgeClientOptions, "onWait" | "signal"> = {},
): ForgeClient {
  return createForgeClient({
    forge: "gitlab",
    host,
    base: `https://${host}/api/v4`,
    // Accepts personal, project and group tokens as well as those of OAuth.
    authorization: signIn?.authorization,
    secret: signIn?.secret,
    ...options,
  });
}

/** Returns the path of a project in the API. */
export function projectPath({ repository }: Pick<RepositoryAddress, "repository">): string {
  return `/projects/${encodeURIComponent(repository)}`;
}
