import { processEnvironment } from "../../config/paths.ts";
import type { ProxyFlags } from "../../config/proxy/settings.ts";
import { readReviewEnvironment } from "../../config/review/environment.ts";
import { AppError } from "../../errors.ts";
import { type HttpServer, isHttpServer } from "../../proxy/mcp/as-upstream.ts";
import { createPoolFetch } from "../../proxy/mcp/oauth/pool-fetch.ts";
import { signIn } from "../../proxy/mcp/oauth/sign-in.ts";
import { deleteSignIn, readSignIn, withSignIn, writeSignIn } from "../../proxy/mcp/oauth/token-file.ts";
import { createPools } from "../../proxy/upstream/pools.ts";
import type { Output } from "../output.ts";
import { readProxyConfiguration } from "../proxy-configuration.ts";
import { chooseOpening, openBrowser } from "../review/browser.ts";
import { table } from "../table.ts";
import { version } from "../version.ts";

export interface McpFlags extends ProxyFlags {
  readonly json: boolean;
}

export interface LoginFlags extends McpFlags {
  readonly open: boolean;
  readonly timeout?: string;
}

/** The default time limit of a sign-in, in seconds. */
const DEFAULT_TIMEOUT_S = 300;

/** Runs `sallyport proxy mcp login NAME`: signs in to a server in the browser, and stores its tokens. */
export async function logIn(name: string, flags: LoginFlags, output: Output): Promise<number> {
  const seconds = Number(flags.timeout ?? DEFAULT_TIMEOUT_S);
  if (!(seconds > 0))
    throw new AppError("usage", `--timeout must be a number of seconds above 0, got "${flags.timeout}"`, {
      hint: "Use a number such as --timeout 600.",
    });
  const { server, outboundProxies } = await findServer(name, flags);
  const pools = createPools(outboundProxies);
  const environment = readReviewEnvironment(processEnvironment);
  try {
    const signedIn = await signIn(name, server, {
      fetch: createPoolFetch(pools),
      version,
      signal: AbortSignal.timeout(seconds * 1000),
      show(url) {
        output.note(`Sign in to ${name}: ${url}`, "essential");
        void openBrowser(chooseOpening(environment, flags.open), url, (text) => output.note(text));
      },
    });
    await withSignIn(server.oauth.file, () => writeSignIn(server.oauth.file, signedIn));
    const { expires_at, scope } = signedIn;
    const result = { name, scope: scope ?? null, expires_at: toIso(expires_at) };
    await output.result(flags.json ? JSON.stringify(result, null, 2) : `Signed in to ${name}.`);
    return 0;
  } finally {
    await pools.destroy();
  }
}

/** Runs `sallyport proxy mcp logout NAME`: deletes the tokens of a server. */
export async function logOut(name: string, flags: McpFlags, output: Output): Promise<number> {
  const { server } = await findServer(name, flags);
  const wasSignedIn = await withSignIn(server.oauth.file, () => deleteSignIn(server.oauth.file));
  const text = wasSignedIn ? `Signed out of ${name}.` : `No sign-in to ${name} was stored.`;
  await output.result(flags.json ? JSON.stringify({ name, signed_out: wasSignedIn }, null, 2) : text);
  return 0;
}

/** Runs `sallyport proxy mcp list`: prints the servers of the configuration, and the state of their sign-ins. */
export async function listServers(flags: McpFlags, output: Output): Promise<number> {
  const { config } = await readProxyConfiguration(processEnvironment, flags, false);
  const rows = await Promise.all(
    [...config.mcp].map(async ([name, server]) => {
      const { url, program, oauth, enabled } = server;
      const signedIn = oauth && url !== undefined ? await readSignIn(oauth.file, url) : undefined;
      return {
        name,
        enabled,
        address: url ?? program?.command ?? "",
        sign_in: oauth === undefined ? "none" : signedIn === undefined ? "needed" : "stored",
        expires_at: toIso(signedIn?.expires_at),
      };
    }),
  );
  const cells = rows.map((row) => [row.name, row.enabled ? row.address : "disabled", row.sign_in]);
  const none = "No MCP server is configured in proxy.mcp.";
  const text = rows.length === 0 ? none : table(["server", "address", "sign-in"], cells);
  await output.result(flags.json ? JSON.stringify({ servers: rows }, null, 2) : text);
  return 0;
}

async function findServer(name: string, flags: McpFlags) {
  const { config } = await readProxyConfiguration(processEnvironment, flags, false);
  const server = config.mcp.get(name);
  if (server === undefined)
    throw new AppError("usage", `There is no MCP server ${name} in proxy.mcp`, {
      hint: "List the servers: sallyport proxy mcp list",
    });
  if (!isHttpServer(server) || server.oauth === undefined)
    throw new AppError("usage", `The MCP server ${name} does not use OAuth`, {
      hint: `Set proxy.mcp.${name}.oauth to true if the server requires OAuth.`,
    });
  const { oauth } = server;
  return { server: { ...server, oauth } satisfies HttpServer, outboundProxies: config.outboundProxies };
}

function toIso(milliseconds: number | undefined): string | null {
  return milliseconds === undefined ? null : new Date(milliseconds).toISOString();
}
