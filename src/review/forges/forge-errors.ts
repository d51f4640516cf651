import { AppError, getErrorMessage, systemErrorCode } from "../../errors.ts";
import type { SignIn } from "./credentials.ts";
import { FORGE_LABELS, type ForgeName, isEnterpriseCloud, type PullAddress } from "./forge.ts";

/** The forge that an error names, and the sign-in, whose secret must not appear in messages. */
interface Named {
  readonly forge: ForgeName;
  readonly host: string;
  readonly signIn: SignIn | undefined;
}

/** A request and its response with an error status. */
interface Rejection {
  readonly method: string | undefined;
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

/** Returns the error for a failed connection. Its message does not contain the request. */
export function unreachable({ host, forge }: Named, cause: unknown): AppError {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  const reason = getErrorMessage(inner);
  return new AppError("forge_error", `Cannot connect to ${host}: ${reason}`, {
    cause,
    hint: unreachableHint({ host, forge }, inner, reason),
  });
}

function unreachableHint(
  { host, forge }: Pick<Named, "host" | "forge">,
  cause: unknown,
  reason: string,
): string {
  if (systemErrorCode(cause) === "ERR_PROXY_TUNNEL")
    return `Correct HTTPS_PROXY, or add ${host} to NO_PROXY if no HTTP proxy is needed for it.`;
  if (/certificate|self.signed/i.test(reason))
    return "If your organization issued the certificate, set NODE_EXTRA_CA_CERTS to the file of its authority.";
  return `Check the network and that ${host} is ${FORGE_LABELS[forge]}, then try again.`;
}

/** Returns the error for a rate limit that lasts longer than the client waits. */
export function rateLimited({ host }: Named, seconds: number): AppError {
  const minutes = Math.ceil(seconds / 60);
  return new AppError(
    "forge_rate_limited",
    `${host} limits the rate of requests for another ${minutes} min`,
    {
      retryAfterSeconds: seconds,
      hint: "Try again after that. Nothing is posted twice.",
    },
  );
}

/** Returns the hint for signing in to a forge. */
export function signInHint(forge: ForgeName, host: string): string {
  switch (forge) {
    case "github":
      return `Run: gh auth login --hostname ${host}. Or set ${githubVariables(host)}.`;
    case "gitlab":
      return `Run: glab auth login --hostname ${host}. Or set ${host === "gitlab.com" ? "GITLAB_TOKEN" : `GITLAB_HOST=${host} and GITLAB_TOKEN`}.`;
    case "bitbucket":
      return `Set BITBUCKET_TOKEN to an access token, or BITBUCKET_EMAIL and BITBUCKET_API_TOKEN to those of your account.${host === "bitbucket.org" ? "" : ` Also set BITBUCKET_HOST=${host}.`}`;
    case "azure":
      return "Set AZURE_DEVOPS_EXT_PAT to a personal access token and, for your own server, AZURE_DEVOPS_HOST to its host. For Azure DevOps Services, you can run az login instead.";
  }
}

/** Returns the names of the variables that sign in to a host of GitHub, for a hint. */
function githubVariables(host: string): string {
  if (host === "github.com") return "GH_TOKEN";
  return `GH_HOST=${host} and ${isEnterpriseCloud(host) ? "GH_TOKEN" : "GH_ENTERPRISE_TOKEN"}`;
}

/** Returns the error for a response with an error status. */
export function errorOf(options: Named, call: Rejection): AppError {
  const { forge, host } = options;
  const { status, headers, body, path, method = "GET" } = call;
  const reason = withoutSecret(options, reasonIn(body));
  const reasonText = reason === "" ? "" : `: ${reason}`;
  if (status === 401) return signInError(options, `401${reasonText}`);
  // GitHub's response to a request for a file of more than 100 MB.
  if (status === 403 && body.includes('"too_large"'))
    return new AppError("too_large", `${path} is too large for the API of ${host} (403${reasonText})`);
  if (status === 403) {
    const [, sso] = /url=(\S+)/.exec(headers.get("x-github-sso") ?? "") ?? [];
    const hint = sso ? `Authorize the token for the organization at ${sso}` : FORBIDDEN_HINTS[forge];
    return new AppError("forge_forbidden", `${host} denied access to ${path} (403${reasonText})`, { hint });
  }
  if (status === 404)
    return new AppError(
      "forge_not_found",
      `${host} does not have ${path}, or your account cannot read it (404)`,
      {
        hint: `Check the address and the access of your account. ${signInHint(forge, host)}`,
      },
    );
  const code = status === 409 || status === 422 || status === 400 ? "forge_rejected" : "forge_error";
  return new AppError(code, `${host} rejected ${method} ${path} (${status}${reasonText})`);
}

/** Returns the error for a sign-in that the forge rejected. `response` describes the response, for example "401". */
export function signInError({ forge, host }: Named, response: string): AppError {
  return new AppError("forge_sign_in", `${host} rejected the sign-in (${response})`, {
    hint: signInHint(forge, host),
  });
}

/** Returns the error for a pull or merge request that does not exist, or that the account cannot read. */
export function pullNotFound({ forge, host, repository, number }: PullAddress): AppError {
  const isGitLab = forge === "gitlab";
  const container = isGitLab ? "project" : "repository";
  return new AppError(
    "forge_not_found",
    `${host} has no ${isGitLab ? "merge" : "pull"} request ${number} in ${repository}, or your account cannot read it`,
    {
      hint: `Check the number and the ${container}. A private ${container} needs a token with access to it.`,
    },
  );
}

/** Returns the error for comments that the person began on the forge's page: posting would publish or discard them. */
export function pendingElsewhere(url: string, host: string): AppError {
  return new AppError("forge_pending", `You have unsubmitted comments at ${host}`, {
    hint: `Submit or discard them at ${url}, then post again. Nothing was posted.`,
  });
}

const FORBIDDEN_HINTS: Readonly<Record<ForgeName, string>> = {
  github:
    "The token needs `repo` (classic), or read and write access to pull requests and read access to contents.",
  gitlab: "The token needs the scope `api`, and your role must permit comments.",
  bitbucket: "The token needs the scopes `pullrequest:write` and `repository`.",
  azure: "The token needs the scope Code (read and write).",
};

/** Returns the reason in the body of an error response, from the members that the forges use. */
function reasonIn(body: Buffer): string {
  try {
    const json: unknown = JSON.parse(body.subarray(0, 64 * 1024).toString());
    return textsIn(json).slice(0, 3).join("; ").slice(0, 500);
  } catch {
    return "";
  }
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return value === "" ? [] : [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (value === null || typeof value !== "object") return [];
  const { message, error, errors, error_description: described, detail } = value as Record<string, unknown>;
  return [message, error, errors, described, detail].flatMap(textsIn);
}

function withoutSecret({ signIn }: Named, text: string): string {
  return signIn ? text.replaceAll(signIn.secret, "***") : text;
}
