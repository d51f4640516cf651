import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type HttpServer, isHttpServer } from "../../../src/proxy/mcp/as-upstream.ts";
import { McpTokens } from "../../../src/proxy/mcp/oauth/mcp-tokens.ts";
import { createPoolFetch } from "../../../src/proxy/mcp/oauth/pool-fetch.ts";
import { signIn } from "../../../src/proxy/mcp/oauth/sign-in.ts";
import { readSignIn, writeSignIn } from "../../../src/proxy/mcp/oauth/token-file.ts";
import { createPools } from "../../../src/proxy/upstream/pools.ts";
import { connectClient } from "../../support/mcp-servers.ts";
import { type OauthServer, startOauthServer } from "../../support/oauth-server.ts";
import { configOf, startTestProxy } from "../../support/start-proxy.ts";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function setUp(oauth: unknown = true) {
  const authority = await startOauthServer();
  closers.push(authority.close);
  const folder = await mkdtemp(join(tmpdir(), "mcp-oauth-"));
  closers.push(() => rm(folder, { recursive: true, force: true }));
  const pools = createPools();
  closers.push(() => pools.destroy());
  const settings = { mcp: { guarded: { url: authority.url, oauth } } };
  const server = configOf(settings, {}, folder).mcp.get("guarded");
  if (server === undefined || !isHttpServer(server) || server.oauth === undefined)
    throw new Error("no server");
  return { authority, server, file: server.oauth.file, fetch: createPoolFetch(pools), settings, folder };
}

/** Signs in with a browser that follows every redirect. */
async function signInTo(server: HttpServer, fetchFromPools: ReturnType<typeof createPoolFetch>) {
  const pages: Promise<string>[] = [];
  const signedIn = await signIn("guarded", server, {
    fetch: fetchFromPools,
    version: "1.0.0",
    signal: AbortSignal.timeout(20_000),
    show: (url) => void pages.push(fetch(url).then((response) => response.text())),
  });
  return { signedIn, page: await pages[0] };
}

function asked({ tokenRequests }: OauthServer): (string | null)[] {
  return tokenRequests.map((each) => each.get("grant_type"));
}

describe("the sign-in to an MCP server", () => {
  it("finds the authorization server, registers a client and exchanges the code with PKCE", async () => {
    const { authority, server, fetch: send, file } = await setUp();
    const { signedIn, page } = await signInTo(server, send);
    expect(page).toContain("You are signed in");
    expect(authority.registrations).toEqual([
      expect.objectContaining({
        application_type: "native",
        redirect_uris: [expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/)],
      }),
    ]);
    expect(signedIn).toMatchObject({
      server: authority.url,
      authorization_server: expect.stringContaining(authority.issuer),
      resource: authority.url,
      client: { client_id: "client-1" },
      scope: "tools offline_access",
    });
    await writeSignIn(file, signedIn);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readSignIn(file, authority.url)).toEqual(JSON.parse(await readFile(file, "utf8")));
    expect(await readSignIn(file, "https://elsewhere.example/mcp")).toBeUndefined();
  });

  it("uses a configured client and scope", async () => {
    const { authority, server, fetch: send } = await setUp({ client_id: "known", scope: "tools extra" });
    const { signedIn } = await signInTo(server, send);
    expect(authority.registrations).toEqual([]);
    expect(signedIn.client.client_id).toBe("known");
    expect(authority.tokenRequests[0]?.get("client_id")).toBe("known");
  });

  it("fails without showing a page if its time is over before the user is sent there", async () => {
    const { server, fetch: send } = await setUp();
    const show = vi.fn();
    const parts = { fetch: send, version: "1.0.0", show, signal: AbortSignal.abort() };
    await expect(signIn("guarded", server, parts)).rejects.toMatchObject({ code: "upstream_timeout" });
    expect(show).not.toHaveBeenCalled();
  });

  it("rejects the response or the metadata of another authorization server", async () => {
    const { authority, server, fetch: send } = await setUp();
    authority.state.shownIssuer = "https://attacker.example";
    await expect(signInTo(server, send)).rejects.toThrow("came from another authorization server");
    expect(asked(authority)).toEqual([]);
    authority.state.publishedIssuer = "https://attacker.example";
    await expect(signInTo(server, send)).rejects.toThrow(/issuer/);
  });
});

describe("tokens of MCP servers", () => {
  it("are refreshed before they expire and after a rejection, once for all calls", async () => {
    const { authority, server, fetch: send, file } = await setUp();
    authority.state.lifetime = 30;
    await writeSignIn(file, (await signInTo(server, send)).signedIn);
    authority.state.lifetime = 3600;
    const tokens = new McpTokens(send);
    const values = await Promise.all([1, 2, 3].map(() => tokens.authorization("guarded", server)));
    expect(new Set(values).size).toBe(1);
    expect(asked(authority)).toEqual(["authorization_code", "refresh_token"]);
    expect(await tokens.authorization("guarded", server)).toBe(values[0]);
    authority.revokeAccess();
    expect(await tokens.authorization("guarded", server, values[0])).not.toBe(values[0]);
    expect(asked(authority).length).toBe(3);
    expect(tokens.redact(`x ${(await tokens.authorization("guarded", server))?.slice(7)} y`)).toBe(
      "x [redacted] y",
    );
    authority.revokeAll();
    const last = await tokens.authorization("guarded", server);
    await expect(tokens.authorization("guarded", server, last)).rejects.toThrow(
      "Run: sallyport proxy mcp login guarded",
    );
  });

  it("are used until they expire if the early refresh fails", async () => {
    const { authority, server, fetch: send, file } = await setUp();
    authority.state.lifetime = 30;
    const { signedIn } = await signInTo(server, send);
    await writeSignIn(file, signedIn);
    authority.revokeAll();
    const tokens = new McpTokens(send);
    const current = `Bearer ${signedIn.access_token}`;
    expect(await tokens.authorization("guarded", server)).toBe(current);
    expect(asked(authority)).toEqual(["authorization_code", "refresh_token"]);
    await expect(tokens.authorization("guarded", server, current)).rejects.toThrow("could not be refreshed");
    await writeSignIn(file, { ...signedIn, expires_at: Date.now() - 1 });
    await expect(tokens.authorization("guarded", server)).rejects.toThrow("could not be refreshed");
  });

  it("are used until they expire if their file cannot be locked for an early refresh", async () => {
    const { authority, server, fetch: send, folder } = await setUp();
    authority.state.lifetime = 30;
    const { signedIn } = await signInTo(server, send);
    // The name of the lock file is longer than the 255 bytes that file systems allow.
    const file = join(folder, "f".repeat(252));
    const tokens = new McpTokens(send);
    const locked = { ...server, oauth: { ...server.oauth, file } } as HttpServer;
    await writeFile(file, JSON.stringify(signedIn));
    expect(await tokens.authorization("guarded", locked)).toBe(`Bearer ${signedIn.access_token}`);
    await writeFile(file, JSON.stringify({ ...signedIn, expires_at: Date.now() - 1 }));
    await expect(tokens.authorization("guarded", locked)).rejects.toMatchObject({ code: "ENAMETOOLONG" });
    expect(asked(authority)).toEqual(["authorization_code"]);
  });

  it("are not used if the refreshed tokens cannot be stored", async () => {
    const { authority, server, fetch: send, file } = await setUp();
    authority.state.lifetime = 30;
    await writeSignIn(file, (await signInTo(server, send)).signedIn);
    const tokens = new McpTokens(async (...request) => {
      const response = await send(...request);
      await rm(dirname(file), { recursive: true });
      await writeFile(dirname(file), "");
      return response;
    });
    await expect(tokens.authorization("guarded", server)).rejects.toMatchObject({ code: "storage" });
  });

  it("are sent by the gateway and the relay, which refresh them when the server rejects them", async () => {
    const { authority, server, fetch: send, file, settings, folder } = await setUp();
    const proxy = await startTestProxy(settings, {}, { dataDirectory: folder });
    closers.push(proxy.close);
    const { client } = await connectClient(`${proxy.url}/mcp`);
    closers.push(() => client.close());
    const missing = await client.listTools();
    expect(JSON.stringify(missing._meta)).toContain("sallyport proxy mcp login guarded");
    await writeSignIn(file, (await signInTo(server, send)).signedIn);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["guarded__guarded"]);
    authority.revokeAccess();
    expect((await client.listTools()).tools.length).toBe(1);
    const relay = async () => {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
      const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
      const response = await fetch(`${proxy.url}/mcp/guarded/mcp`, { method: "POST", headers, body });
      return [response.status, await response.text()];
    };
    expect(await relay()).toEqual([200, expect.stringContaining("guarded")]);
    authority.revokeAccess();
    expect((await relay())[0]).toBe(401);
    expect((await relay())[0]).toBe(200);
  });
});
