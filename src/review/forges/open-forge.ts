import { AppError } from "../../errors.ts";
import { knownForge, type RemoteAddress } from "./address.ts";
import { type ConnectionOptions, createForgeClient } from "./client.ts";
import type { SignIn } from "./credentials.ts";
import type { FindByBranch, Forge, ForgeName, PullAddress, RepositoryAddress } from "./forge.ts";

/** A signed-in connection. */
export type ForgeOptions = Required<ConnectionOptions> & {
  readonly signIn: SignIn;
  readonly signal: AbortSignal;
};

/** A repository at its forge. */
interface ForgeRepository {
  readonly openPull: (address: PullAddress) => Forge;
  readonly findPull: FindByBranch;
}

/** Opens a repository. Imports only the code of its forge. */
async function openRepository(address: RepositoryAddress, options: ForgeOptions): Promise<ForgeRepository> {
  const { host } = address;
  switch (address.forge) {
    case "github": {
      const [{ createGitHubApi }, { findGitHubPull, githubPull }] = await Promise.all([
        import("./github/api.ts"),
        import("./github/github.ts"),
      ]);
      const api = createGitHubApi(host, options);
      return { openPull: (pull) => githubPull(api, pull), findPull: findGitHubPull(api, address) };
    }
    case "gitlab": {
      const [{ createGitLabClient }, { findGitLabPull, gitlabPull }] = await Promise.all([
        import("./gitlab/api.ts"),
        import("./gitlab/gitlab.ts"),
      ]);
      const client = createGitLabClient(host, options);
      return { openPull: (pull) => gitlabPull(client, pull), findPull: findGitLabPull(client, address) };
    }
    case "bitbucket": {
      const { bitbucketPull, createBitbucketClient, findBitbucketPull } = await import(
        "./bitbucket/bitbucket.ts"
      );
      const client = createBitbucketClient(host, options);
      return {
        openPull: (pull) => bitbucketPull(client, pull),
        findPull: findBitbucketPull(client, address),
      };
    }
    case "azure": {
      const { azurePull, createAzureApi, findAzurePull } = await import("./azure/azure.ts");
      const api = createAzureApi(address, options);
      return { openPull: (pull) => azurePull(api, pull), findPull: findAzurePull(api) };
    }
  }
}

/** Returns a client of a pull or merge request. */
export async function openForge(address: PullAddress, options: ForgeOptions): Promise<Forge> {
  const { openPull } = await openRepository(address, options);
  return openPull(address);
}

/** Returns a function that finds the open pull or merge request of a branch. */
export async function openBranchSearch(
  address: RepositoryAddress,
  options: ForgeOptions,
): Promise<FindByBranch> {
  const { findPull } = await openRepository(address, options);
  return findPull;
}

/**
 * Returns the forge of a remote. Detects GitHub Enterprise Server and GitLab on an unknown host by their responses to
 * requests without a sign-in. Throws `usage` if it is neither.
 */
export async function detectForge(
  { host, path, forge }: RemoteAddress,
  options: Pick<ForgeOptions, "fetch" | "signal">,
): Promise<RepositoryAddress> {
  const known = forge ?? knownForge(host) ?? (await askHost(host, path, options));
  if (known !== undefined) return { forge: known, host, repository: path };
  throw new AppError("usage", `Found no GitHub, GitLab, Bitbucket or Azure DevOps server at ${host}`, {
    hint: "Pass the address of the pull request's page: sallyport review pr https://…",
  });
}

async function askHost(
  host: string,
  path: string,
  options: Pick<ForgeOptions, "fetch" | "signal">,
): Promise<ForgeName | undefined> {
  // Only GitLab has nested groups.
  if (path.split("/").length > 2) return "gitlab";
  const client = (forge: ForgeName, base: string) =>
    createForgeClient({ ...options, forge, host, base, signIn: undefined });
  const all = Array.from({ length: 200 }, (_, index) => 400 + index);
  const github = client("github", `https://${host}/api/v3`).send({ path: "/meta", allow: all });
  if ((await github).headers.has("x-github-request-id")) return "github";
  const gitlab = await client("gitlab", `https://${host}/api/v4`).send({ path: "/version", allow: all });
  const isGitLab =
    [200, 401].includes(gitlab.status) &&
    /"(?:version|message)"/.test(gitlab.body.subarray(0, 1_000).toString());
  return isGitLab ? "gitlab" : undefined;
}
