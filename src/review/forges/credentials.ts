import { execFile } from "node:child_process";
import { join } from "node:path";
import type { Environment } from "../../config/paths.ts";
import { AppError } from "../../errors.ts";
import { findProgram } from "../git/find-git.ts";
import { FORGE_LABELS, type ForgeName } from "./forge.ts";
import { signInHint } from "./forge-errors.ts";

/** How requests to one host are signed in. Kept in memory only. */
export interface SignIn {
  readonly authorization: string;
  /** Removed from error messages. */
  readonly secret: string;
}

/** Variables with tokens, which sign-in tools prefer whatever the host is. They are not handed to the tools. */
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

/**
 * Returns the sign-in for a host: a token of the environment if the environment names the host, else that of the
 * forge's own tool, else that of git's credential helper. Throws `forge_sign_in` if there is none.
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
  throw new AppError("forge_sign_in", `You are not signed in to ${FORGE_LABELS[forge]} at ${host}`, {
    hint: signInHint(forge, host),
  });
}

interface Folders {
  /** Where tools run: a configuration in the reviewed repository must not apply. */
  readonly home: string;
  /** The reviewed folder, whose programs are not run. */
  readonly directory: string;
}

const bearer = (token: string): SignIn => ({ authorization: `Bearer ${token}`, secret: token });

function basic(user: string, password: string): SignIn {
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
  return { authorization, secret: password };
}

/**
 * Returns the token that the environment has for a host. A token belongs to the forge's public host, or to the host
 * that a variable names: it must not reach the host of an address that somebody else wrote.
 */
export function environmentSignIn(
  forge: ForgeName,
  host: string,
  environment: Environment,
): SignIn | undefined {
  const first = (...names: readonly string[]) =>
    names.map((name) => environment[name]?.trim()).find((value) => value !== undefined && value !== "");
  const names = (variable: string | undefined) => variable !== undefined && hostIn(variable) === host;
  const token = (value: string | undefined) => (value === undefined ? undefined : bearer(value));
  switch (forge) {
    case "github": {
      if (host === "github.com") return token(first("GH_TOKEN", "GITHUB_TOKEN"));
      if (!names(first("GH_HOST"))) return undefined;
      return host.endsWith(".ghe.com")
        ? token(first("GH_TOKEN", "GITHUB_TOKEN"))
        : token(first("GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"));
    }
    case "gitlab": {
      const named = first("GITLAB_HOST", "GL_HOST", "GITLAB_URI");
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

/** Returns the host of a variable, which may hold a host or an address. */
function hostIn(text: string): string {
  return (
    URL.canParse(text) && text.includes("://") ? new URL(text).host : text.replace(/\/.*$/, "")
  ).toLowerCase();
}

/** The resource id of Azure DevOps, for tokens of `az`. */
const AZURE_RESOURCE = "499b84ac-1321-427f-aa17-267ca6975798";

/** Asks the forge's own command-line tool for the token of a host. */
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
    // A token in the system's keyring is not part of the configuration.
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

/** Asks git's credential helpers, as `git push` would, but never the person. */
async function helperSignIn(
  forge: ForgeName,
  host: string,
  environment: Environment,
  folders: Folders,
): Promise<SignIn | undefined> {
  const { home } = folders;
  const quiet = { GIT_TERMINAL_PROMPT: "0", GIT_ASKPASS: "", SSH_ASKPASS: "", GCM_INTERACTIVE: "never" };
  // In the home folder, so that the configuration of the reviewed repository names no helper.
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
  // The other forges take a password of git as a token.
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

/** Milliseconds that a tool may take; a keyring can ask the person to unlock it. */
const TOOL_TIMEOUT_MS = 30_000;

/**
 * Runs a program of the PATH. Resolves to undefined if it is not installed or fails. Secrets are neither arguments nor in
 * its environment.
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
