import { execFile } from "node:child_process";
import { join } from "node:path";
import type { Environment } from "../../config/paths.ts";
import { AppError } from "../../errors.ts";
import { findProgram } from "../git/find-git.ts";
import { FORGE_LABELS, type ForgeName, isEnterpriseCloud } from "./forge.ts";
import { signInHint } from "./forge-errors.ts";

/** The credentials for requests to one host. Kept in memory only. */
export interface SignIn {
  readonly authorization: string;
  /** Removed from error messages. */
  readonly secret: string;
}

/** Variables that sign-in tools do not receive, because with them the tools could return a token for another host. */
const TOKEN_VARIABLES = [
  "GH_TOKEN",
  "GITHUB_TOKEN",
  "GH_ENTERPRISE_TOKEN",
  "GITHUB_ENTERPRISE_TOKEN",
  "GH_HOST",
  "GITLAB_TOKEN",
  "GITLAB_ACCESS_TOKEN",
  "OAUTH_TOKEN",
  "GITLAB_HOST",
  "GL_HOST",
  "GITLAB_URI",
  "AZURE_DEVOPS_EXT_PAT",
];

/** A server that the environment names. */
export interface NamedServer {
  readonly forge: ForgeName;
  /** Host with its port, if it has one. */
  readonly host: string;
}

const GITLAB_VARIABLES = ["GITLAB_HOST", "GL_HOST", "GITLAB_URI"] as const;

/**
 * Returns the sign-in for a host: from the environment, the forge's command-line tool, or git's credential
 * helper, in this order. Throws `forge_sign_in` if there is none.
 */
export async function findSignIn(
  forge: ForgeName,
  host: string,
  environment: Environment,
  folders: Folders,
): Promise<SignIn> {
  const found =
    environmentSignIn(forge, host, environment) ??
    (await toolSignIn(forge, host, environment, folders)) ??
    (await helperSignIn(forge, host, environment, folders));
  if (found) return found;
  throw new AppError("forge_sign_in", `Not signed in to ${FORGE_LABELS[forge]} at ${host}`, {
    hint: signInHint(forge, host),
  });
}

interface Folders {
  /** The folder in which tools run, so that no configuration of the reviewed repository applies. */
  readonly home: string;
  /** The reviewed folder. Programs in it are not run. */
  readonly directory: string;
}

const bearer = (token: string): SignIn => ({ authorization: `Bearer ${token}`, secret: token });

function basic(user: string, password: string): SignIn {
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
  return { authorization, secret: password };
}

/**
 * Returns the sign-in of the environment for a host, which must be the forge's public host or the host that a variable
 * names: the address of a pull request cannot send a token to another host.
 */
export function environmentSignIn(
  forge: ForgeName,
  host: string,
  environment: Environment,
): SignIn | undefined {
  const first = (...names: readonly string[]) => firstValue(environment, names);
  const names = (variable: string | undefined) => variable !== undefined && hostIn(variable) === host;
  const token = (value: string | undefined) => (value === undefined ? undefined : bearer(value));
  switch (forge) {
    case "github": {
      if (host === "github.com") return token(first("GH_TOKEN", "GITHUB_TOKEN"));
      if (!names(first("GH_HOST"))) return undefined;
      return isEnterpriseCloud(host)
        ? token(first("GH_TOKEN", "GITHUB_TOKEN"))
        : token(first("GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"));
    }
    case "gitlab": {
      const named = gitlabHost(environment);
      const isMeant = named === undefined ? host === "gitlab.com" : names(named);
      return isMeant ? token(first("GITLAB_TOKEN", "GITLAB_ACCESS_TOKEN", "OAUTH_TOKEN")) : undefined;
    }
    case "bitbucket": {
      const named = first("BITBUCKET_HOST") ?? "bitbucket.org";
      if (!names(named)) return undefined;
      const [user, password] = [
        first("BITBUCKET_EMAIL", "BITBUCKET_USERNAME"),
        first("BITBUCKET_API_TOKEN", "BITBUCKET_APP_PASSWORD"),
      ];
      if (user !== undefined && password !== undefined) return basic(user, password);
      return token(first("BITBUCKET_TOKEN", "BITBUCKET_ACCESS_TOKEN"));
    }
    case "azure": {
      const named = first("AZURE_DEVOPS_HOST");
      const isPublic = host === "dev.azure.com" || host.endsWith(".visualstudio.com");
      const isMeant = named === undefined ? isPublic : names(named);
      const pat = first("AZURE_DEVOPS_EXT_PAT");
      return isMeant && pat !== undefined ? basic("", pat) : undefined;
    }
  }
}

/** Returns the host in the value of a variable, which is a host or an address. */
function hostIn(text: string): string {
  return (
    URL.canParse(text) && text.includes("://") ? new URL(text).host : text.replace(/\/.*$/, "")
  ).toLowerCase();
}

/**
 * Returns the path of the GitLab server that the environment names for a host, for example `/gitlab` for
 * `https://host/gitlab`. Returns undefined if the environment names another host or no path.
 */
export function environmentGitLabPath(host: string, environment: Environment): string | undefined {
  const named = gitlabHost(environment);
  if (named === undefined || hostIn(named) !== host) return undefined;
  const path = named.replace(/^\w+:\/\//, "").replace(/^[^/]*|\/+$/g, "");
  return path === "" ? undefined : path;
}

/** Variables that name the server of a forge, except Bitbucket. */
const HOST_VARIABLES: readonly (readonly [ForgeName, readonly string[]])[] = [
  ["gitlab", GITLAB_VARIABLES],
  ["github", ["GH_HOST"]],
  ["azure", ["AZURE_DEVOPS_HOST"]],
];

/** Returns the server that the environment names for a host name, with its port if it has one. */
export function environmentServer(hostname: string, environment: Environment): NamedServer | undefined {
  for (const [forge, variables] of HOST_VARIABLES) {
    const named = firstValue(environment, variables);
    const host = named === undefined ? "" : hostIn(named);
    if (host.replace(/:\d+$/, "") === hostname) return { forge, host };
  }
  return undefined;
}

function gitlabHost(environment: Environment): string | undefined {
  return firstValue(environment, GITLAB_VARIABLES);
}

/** Returns the value of the first variable that is set and not empty. */
function firstValue(environment: Environment, names: readonly string[]): string | undefined {
  return names.map((name) => environment[name]?.trim()).find((value) => value !== undefined && value !== "");
}

/** The resource id of Azure DevOps, for which `az` issues tokens. */
const AZURE_RESOURCE = "499b84ac-1321-427f-aa17-267ca6975798";

/** Returns the token that the forge's command-line tool has for a host; undefined without such a tool or token. */
async function toolSignIn(
  forge: ForgeName,
  host: string,
  environment: Environment,
  folders: Folders,
): Promise<SignIn | undefined> {
  const ask = (program: string, args: readonly string[]) =>
    askProgram(program, args, { environment, folders });
  if (forge === "github") {
    const token = onlyLine((await ask("gh", ["auth", "token", "--hostname", host]))?.stdout);
    return token === undefined ? undefined : bearer(token);
  }
  if (forge === "gitlab") {
    const configured = onlyLine((await ask("glab", ["config", "get", "token", "--host", host]))?.stdout);
    if (configured !== undefined) return bearer(configured);
    // The configuration does not contain a token that glab stores in the system's keyring.
    const status = await ask("glab", ["auth", "status", "--hostname", host, "--show-token"]);
    const [, token] = /\btoken(?: found)?:\s*(\S+)/i.exec(`${status?.stdout}\n${status?.stderr}`) ?? [];
    return token === undefined || /^\*+$/.test(token) ? undefined : bearer(token);
  }
  const isPublicAzure = host === "dev.azure.com" || host.endsWith(".visualstudio.com");
  if (forge !== "azure" || !isPublicAzure) return undefined;
  const args = [
    "account",
    "get-access-token",
    "--resource",
    AZURE_RESOURCE,
    "--query",
    "accessToken",
    "-o",
    "tsv",
  ];
  const token = onlyLine((await ask("az", args))?.stdout);
  return token === undefined ? undefined : bearer(token);
}

/** Returns the credentials of git's credential helpers for a host; undefined if there are none. Git does not prompt. */
async function helperSignIn(
  forge: ForgeName,
  host: string,
  environment: Environment,
  folders: Folders,
): Promise<SignIn | undefined> {
  const { home } = folders;
  const quiet = { GIT_TERMINAL_PROMPT: "0", GIT_ASKPASS: "", SSH_ASKPASS: "", GCM_INTERACTIVE: "never" };
  // The reviewed repository must not choose the helper, so its configuration is not read.
  const isolated = {
    ...quiet,
    GIT_DIR: join(home, ".sallyport-no-repository"),
    GIT_CEILING_DIRECTORIES: home,
  };
  const result = await askProgram("git", ["-c", "credential.interactive=false", "credential", "fill"], {
    environment: { ...environment, ...isolated },
    folders,
    input: `protocol=https\nhost=${host}\n\n`,
  });
  const values = Object.fromEntries(
    (result?.stdout ?? "").split("\n").map((line) => {
      const at = line.indexOf("=");
      return [line.slice(0, at), line.slice(at + 1)];
    }),
  );
  const { username = "", password = "" } = values;
  if (password === "") return undefined;
  // GitHub and GitLab accept a password for git as a bearer token.
  return forge === "bitbucket" || forge === "azure" ? basic(username, password) : bearer(password);
}

function onlyLine(text: string | undefined): string | undefined {
  const line = text?.trim() ?? "";
  return line === "" || /\s/.test(line) ? undefined : line;
}

interface ProgramOptions {
  readonly environment: Environment;
  readonly folders: Folders;
  readonly input?: string;
}

/** Maximum milliseconds that a tool may take; a keyring may ask the person for a password in this time. */
const TOOL_TIMEOUT_MS = 30_000;

/**
 * Runs a program from `PATH` without `TOKEN_VARIABLES`. Resolves to undefined if it is not installed or fails.
 */
function askProgram(
  name: string,
  args: readonly string[],
  { environment, folders: { home, directory }, input }: ProgramOptions,
): Promise<{ readonly stdout: string; readonly stderr: string } | undefined> {
  const program = findProgram(name, directory, environment);
  if (!program) return Promise.resolve(undefined);
  const kept = Object.entries(environment).filter(([variable]) => !TOKEN_VARIABLES.includes(variable));
  const env = {
    ...Object.fromEntries(kept),
    PATH: program.path,
    NO_COLOR: "1",
    GH_NO_UPDATE_NOTIFIER: "1",
    GH_PROMPT_DISABLED: "1",
  };
  return new Promise((resolve) => {
    const child = execFile(
      program.binary,
      [...args],
      { cwd: home, env, timeout: TOOL_TIMEOUT_MS, windowsHide: true, maxBuffer: 1 << 20 },
      (error, stdout, stderr) => resolve(error ? undefined : { stdout, stderr }),
    );
    child.stdin?.on("error", () => {});
    child.stdin?.end(input ?? "");
  });
}
