import type { ConnectionOptions } from "./client.ts";
import type { SignIn } from "./credentials.ts";
import type { FindByBranch, Forge, PullAddress, RepositoryAddress } from "./forge.ts";

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
      const client = createGitLabClient(address, options);
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
      return { openPull: (pull) => azurePull(api, pull), findPull: findAzurePull(api, address) };
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
