import { AppError } from "../../errors.ts";
import { type ForgeName, isEnterpriseCloud, type PullAddress, type RepositoryAddress } from "./forge.ts";

/** Patterns of the paths of pull and merge requests. The path identifies the forge: a forge can run on any host. */
const PULL_PATHS: readonly (readonly [ForgeName, RegExp])[] = [
  ["gitlab", /^\/(?<repository>[^/]+(?:\/[^/]+)+)\/-\/merge_requests\/(?<number>\d+)(?:\/|$)/],
  ["azure", /^\/(?<repository>(?:[^/]+\/){0,3}_git\/[^/]+)\/pullrequest\/(?<number>\d+)(?:\/|$)/i],
  ["bitbucket", /^\/(?<repository>[^/]+\/[^/]+)\/pull-requests\/(?<number>\d+)(?:\/|$)/],
  ["github", /^\/(?<repository>[^/]+\/[^/]+)\/pull\/(?<number>\d+)(?:\/|$)/],
];

const FORMS =
  "Pass the address of the pull request's page, for example https://github.com/octo/castle/pull/7 or https://gitlab.com/octo/castle/-/merge_requests/7.";

/** Parses the https address of a pull or merge request. Throws `usage` for any other text or address. */
export function parsePullUrl(text: string): PullAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new AppError("usage", `Not a number or an address of a pull request: "${text}"`, {
      hint: FORMS,
    });
  if (url.protocol !== "https:")
    throw new AppError("usage", `${url.protocol}//${url.host} is not encrypted and would expose your token`, {
      hint: "Use the https address.",
    });
  for (const [forge, pattern] of PULL_PATHS) {
    const { repository, number } = pattern.exec(url.pathname)?.groups ?? {};
    if (repository === undefined) continue;
    return {
      forge,
      host: url.host.toLowerCase(),
      repository: decodePath(repository),
      number: Number(number),
    };
  }
  throw new AppError("usage", `Not an address of a pull request: ${url.origin}${url.pathname}`, {
    hint: FORMS,
  });
}

/** Encodes each segment of a path for a URL. */
export function encodePath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** The host and path of a git remote, whose forge may be unknown. */
export interface RemoteAddress {
  readonly host: string;
  readonly path: string;
  /** Undefined if neither the host nor the path identifies the forge. */
  readonly forge: ForgeName | undefined;
  /** Whether the port for HTTPS is unknown, because the remote uses another protocol, such as SSH. */
  readonly isPortUnknown?: boolean;
}

/** Maps hosts that serve SSH on port 443 to the web hosts of their forges. */
const SSH_HOSTS: Readonly<Record<string, string>> = {
  "ssh.github.com": "github.com",
  "altssh.gitlab.com": "gitlab.com",
  "altssh.bitbucket.org": "bitbucket.org",
};

/**
 * Parses the URL of a git remote: http, https, ssh, git, or `git@host:path`. Returns undefined for any other remote,
 * such as a folder.
 */
export function parseRemoteUrl(text: string): RemoteAddress | undefined {
  const [, scpHost, scpPath] = /^(?:[^@/:]+@)?([^/:]{2,}):(?!\/\/|:)(.+)$/.exec(text) ?? [];
  const url = scpHost === undefined && URL.canParse(text) ? new URL(text) : undefined;
  if (url && !/^(?:https?|ssh|git):$/.test(url.protocol)) return undefined;
  // A port for SSH is not the port for HTTPS.
  const given = (scpHost ?? (url?.protocol === "https:" ? url.host : url?.hostname))?.toLowerCase();
  const path = decodePath(scpPath ?? url?.pathname ?? "")
    .replace(/^\/+|\/+$/g, "")
    .replace(/\.git$/, "");
  if (given === undefined || given === "" || path === "") return undefined;
  const azure = azureRemote(given, path);
  if (azure) return azure;
  const host = SSH_HOSTS[given] ?? given;
  const known = knownForge(host);
  const isPortUnknown = known === undefined && url?.protocol !== "https:";
  return { host, path, forge: known, ...(isPortUnknown ? { isPortUnknown } : {}) };
}

/**
 * Returns a remote of Azure DevOps with the host and path of its pages, which differ from those for SSH; undefined for
 * any other remote.
 */
function azureRemote(host: string, path: string): RemoteAddress | undefined {
  const parts = path.split("/");
  if (host === "ssh.dev.azure.com" || host === "vs-ssh.visualstudio.com") {
    const [, organization = "", project = "", repository = ""] = parts;
    const isFormer = host === "vs-ssh.visualstudio.com";
    return {
      host: isFormer ? `${organization}.visualstudio.com` : "dev.azure.com",
      path: isFormer ? `${project}/_git/${repository}` : `${organization}/${project}/_git/${repository}`,
      forge: "azure",
    };
  }
  return parts.includes("_git") ? { host, path, forge: "azure" } : undefined;
}

/** Returns the forge of a public host, or undefined. */
function knownForge(host: string): ForgeName | undefined {
  if (host === "github.com" || isEnterpriseCloud(host)) return "github";
  if (host === "gitlab.com") return "gitlab";
  if (host === "bitbucket.org") return "bitbucket";
  return host === "dev.azure.com" || host.endsWith(".visualstudio.com") ? "azure" : undefined;
}

/** Returns the parts of an Azure DevOps path: the organization or collection, the project and the repository. */
export function azureParts({ host, repository }: Pick<RepositoryAddress, "host" | "repository">): {
  readonly base: string;
  readonly project: string;
  readonly name: string;
} {
  const parts = repository.split("/");
  const name = parts.at(-1) ?? "";
  const before = parts.slice(0, -2);
  // If a repository has the same name as its project, its path may omit the project.
  const least = host.endsWith(".visualstudio.com") ? 0 : 1;
  const project = before.length > least ? (before.at(-1) ?? name) : name;
  const base = before.length > least ? before.slice(0, -1) : before;
  return { base: base.map((part) => `/${encodeURIComponent(part)}`).join(""), project, name };
}

/** Returns the short name of a repository, for titles. */
export function repositoryName({ repository }: Pick<RepositoryAddress, "repository">): string {
  return repository.split("/").at(-1) ?? repository;
}
