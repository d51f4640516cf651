import { type SpawnedCommand, sandbox, startCommand } from "../spawned-command.ts";
import { azure } from "./azure.ts";
import { bitbucket } from "./bitbucket.ts";
import { Castle } from "./castle.ts";
import { type ForgeCall, type RunningForge, startForge } from "./forge-server.ts";
import { github } from "./github.ts";
import { gitlab } from "./gitlab.ts";

export type TestedForge = "github" | "gitlab" | "bitbucket" | "azure";

export const TOKEN = "forge-token-of-the-test";

interface Vendor {
  /** Path of the request's page. */
  readonly path: string;
  readonly handler: (
    castle: Castle,
    host: () => string,
  ) => (call: ForgeCall) => ReturnType<Parameters<typeof startForge>[1]>;
  /** Environment with the token for a host. */
  readonly signIn: (host: string) => Readonly<Record<string, string>>;
  /** Returns the token as it is in the authorization. */
  readonly secret: string;
}

const VENDORS: Readonly<Record<TestedForge, Vendor>> = {
  github: {
    path: "/octo/castle/pull/7",
    handler: github,
    signIn: (host) => ({ GH_HOST: host, GH_ENTERPRISE_TOKEN: TOKEN }),
    secret: TOKEN,
  },
  gitlab: {
    path: "/keep/castle/-/merge_requests/7",
    handler: gitlab,
    signIn: (host) => ({ GITLAB_HOST: host, GITLAB_TOKEN: TOKEN }),
    secret: TOKEN,
  },
  bitbucket: {
    path: "/octo/castle/pull-requests/7",
    handler: bitbucket,
    signIn: (host) => ({ BITBUCKET_HOST: host, BITBUCKET_TOKEN: TOKEN }),
    secret: TOKEN,
  },
  azure: {
    path: "/octo/keep/_git/castle/pullrequest/7",
    handler: azure,
    signIn: (host) => ({ AZURE_DEVOPS_HOST: host, AZURE_DEVOPS_EXT_PAT: TOKEN }),
    secret: Buffer.from(`:${TOKEN}`).toString("base64"),
  },
};

export interface StartedForge {
  readonly castle: Castle;
  readonly forge: RunningForge;
  readonly address: string;
  /** Environment of a command that is signed in. */
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Starts a fake forge with one pull request. `basePath` is the path of the server below its host, for example
 * `/gitlab`; other paths belong to another program.
 */
export async function startVendor(
  name: TestedForge,
  { hostname, basePath = "" }: { readonly hostname?: string; readonly basePath?: string } = {},
): Promise<StartedForge> {
  const { handler, signIn, path, secret } = VENDORS[name];
  const castle = new Castle();
  const isInside = ({ url }: ForgeCall) => url.pathname.startsWith(`${basePath}/`);
  const forge: RunningForge = await startForge(
    secret,
    (call) => handle({ ...call, url: new URL(call.url.href.replace(basePath, "")) }),
    hostname,
  );
  if (basePath !== "")
    forge.interfere = (call) => (isInside(call) ? undefined : { status: 404, text: "<h1>Not here</h1>" });
  const handle = handler(castle, () => `${forge.host}${basePath}`);
  const environment = { ...forge.environment, ...signIn(forge.host) };
  return { castle, forge, address: `${forge.origin}${basePath}${path}`, environment };
}

export interface PullReviewRun extends StartedForge {
  readonly command: SpawnedCommand;
  readonly url: string;
  get<Body>(path: string): Promise<Body>;
  /** Calls the server as its page does. */
  page(
    method: string,
    path: string,
    body: object,
  ): Promise<{ readonly status: number; readonly body: unknown }>;
}

/** Starts `sallyport review pr` of a fake forge. */
export async function startPullReview(
  name: TestedForge,
  options: {
    readonly started?: StartedForge;
    readonly folder?: string;
    readonly flags?: readonly string[];
  } = {},
): Promise<PullReviewRun> {
  const started = options.started ?? (await startVendor(name));
  const folder = options.folder ?? (await sandbox());
  const command = await startCommand(
    ["review", "pr", started.address, "--no-open", ...(options.flags ?? [])],
    {
      folder,
      environment: started.environment,
    },
  );
  const url = await command.url();
  return {
    ...started,
    command,
    url,
    get: async <Body>(path: string) => (await (await fetch(`${url}${path}`)).json()) as Body,
    async page(method, path, body) {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: { origin: url, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      return { status: response.status, body: await response.json() };
    },
  };
}
