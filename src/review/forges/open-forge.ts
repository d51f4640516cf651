import { AppError } from "../../errors.ts";
import { knownForge, type RemoteAddress } from "./address.ts";
import { createForgeClient } from "./client.ts";
import type { SignIn } from "./credentials.ts";
import type { FindByBranch, Forge, ForgeName, PullAddress, RepositoryAddress } from "./forge.ts";

export interface ForgeOptions {
  readonly signIn: SignIn;
  /** Called before a request waits for a rate limit. */
  readonly onWait: (message: string) => void;
  readonly signal: AbortSignal;
}

/** Opens a pull request's forge. Its code is loaded when it is used. */
export async function openForge(address: PullAddress, options: ForgeOptions): Promise<Forge> {
  const { host } = address;
  const { signIn, ...limits } = options;
  switch (address.forge) {
    case "github": {
      const [{ createGitHubApi }, { githubPull }] = await Promise.all([
        import("./github/api.ts"),
        import("./github/github.ts"),
      ]);
      return githubPull(createGitHubApi(host, signIn, limits), address);
    }
    case "gitlab": {
      const [{ createGitLabClient }, { gitlabPull }] = await Promise.all([
        import("./gitlab/api.ts"),
        import("./gitlab/gitlab.ts"),
      ]);
      return gitlabPull(createGitLabClient(host, signIn, limits), address);
    }
    case "bitbucket": {
      const { bitbucketPull, createBitbucketClient } = await import("./bitbucket/bitbucket.ts");
      return bitbucketPull(createBitbucketClient(host, signIn, limits), address);
    }
    case "azure": {
      const { azurePull, createAzureApi } = await import("./azure/azure.ts");
      return azurePull(createAzureApi(address, signIn, limits), address);
    }
  }
}

/** Returns a function that finds the open pull request of a branch. */
export async function openBranchSearch(
  address: RepositoryAddress,
  { signIn, ...limits }: ForgeOptions,
): Promise<FindByBranch> {
  const { host } = address;
  switch (address.forge) {
    case "github": {
      const [{ createGitHubApi }, { findGitHubPull }] = await Promise.all([
        import("./github/api.ts"),
        import("./github/github.ts"),
      ]);
      return findGitHubPull(createGitHubApi(host, signIn, limits), address);
    }
    case "gitlab": {
      const [{ createGitLabClient }, { findGitLabPull }] = await Promise.all([
        import("./gitlab/api.ts"),
        import("./gitlab/gitlab.ts"),
      ]);
      return findGitLabPull(createGitLabClient(host, signIn, limits), address);
    }
    case "bitbucket": {
      const { createBitbucketClient, findBitbucketPull } = await import("./bitbucket/bitbucket.ts");
      return findBitbucketPull(createBitbucketClient(host, signIn, limits), address);
    }
    case "azure": {
      const { createAzureApi, findAzurePull } = await import("./azure/azure.ts");
      return findAzurePull(createAzureApi(address, signIn, limits));
    }
  }
}

/**
 * Returns the forge of a remote. A host that is not known is asked without a sign-in: GitHub Enterprise Server and
 * GitLab respond in their own ways. Throws `usage` if it is neither.
 */
export async function detectForge(
  { host, path, forge }: RemoteAddress,
  options: Pick<ForgeOptions, "signal">,
): Promise<RepositoryAddress> {
  const known = forge ?? knownForge(host) ?? (await askHost(host, path, options));
  if (known !== undefined) return { forge: known, host, repository: path };
  throw new AppError(
    "usage",
    `${host} is not a GitHub, GitLab, Bitbucket or Azure DevOps server that can be reached`,
    {
      hint: "Name the address of the pull request's page: sallyport review pr https://…",
    },
  );
}

async function askHost(
  host: string,
  path: string,
  { signal }: Pick<ForgeOptions, "signal">,
): Promise<ForgeName | undefined> {
  // Only GitLab has groups within groups.
  if (path.split("/").length > 2) return "gitlab";
  const client = (forge: ForgeName, base: string) =>
    createForgeClient({ forge, host, base, authorization: undefined, secret: undefined, signal });
  const all = Array.from({ length: 200 }, (_, index) => 400 + index);
  const github = client("github", `https://${host}/api/v3`).send({ path: "/meta", allow: all });
  if ((await github).headers.has("x-github-request-id")) return "github";
  const gitlab = await client("gitlab", `https://${host}/api/v4`).send({ path: "/version", allow: all });
  const isGitLab =
    [200, 401].includes(gitlab.status) &&
    /"(?:version|message)"/.test(gitlab.body.subarray(0, 1_000).toString());
  return isGitLab ? "gitlab" : undefined;
}
