import { describe, expect, it, onTestFinished } from "vitest";
import type { PostResponse, PullPreview, PullState } from "../../src/review/api-types.ts";
import { type ConnectProxy, startConnectProxy } from "../support/connect-proxy.ts";
import { startPullReview, startVendor, type TestedForge } from "../support/forges/start-pull-review.ts";
import { startCommand } from "../support/spawned-command.ts";
import { testRepository } from "../support/test-repository.ts";

const FORGES: readonly TestedForge[] = ["github", "gitlab", "bitbucket", "azure"];
const PASSWORD = "correct-horse-battery";

/** Starts a forge whose host does not resolve on this machine, and the HTTP proxy that reaches it. */
async function startBoth(name: TestedForge, refusal?: number) {
  const started = await startVendor(name, { hostname: "forge.test" });
  const carrier = await startConnectProxy(refusal);
  onTestFinished(carrier.close);
  const environment = { ...started.environment, HTTPS_PROXY: proxyUrl(carrier) };
  return { started: { ...started, environment }, carrier };
}

const proxyUrl = ({ port }: ConnectProxy) => `http://me:${PASSWORD}@127.0.0.1:${port}`;

describe("review pr behind an HTTP proxy", () => {
  it.each(FORGES)("reads and posts at %s through the proxy", async (name) => {
    const { started, carrier } = await startBoth(name);
    const review = await startPullReview(name, { started });
    expect(await review.get<PullState>("/api/pr")).toMatchObject({ number: 7, problems: [] });
    const anchor = { kind: "lines", path: "src/wall.txt", side: "new", lineStart: 30, lineEnd: 30 };
    await review.page("POST", "/api/threads", { anchor, type: "comment", markdown: "Too high" });
    const shown = await review.page("POST", "/api/pr/preview", { verdict: "comment" });
    const { preview } = shown.body as PullPreview;
    const { status, body } = await review.page("POST", "/api/pr/post", { preview });
    expect([status, (body as PostResponse).posted]).toEqual([200, 1]);
    expect(review.castle.own.map((own) => own.body)).toEqual(["Too high"]);
    const authorization = `Basic ${Buffer.from(`me:${PASSWORD}`).toString("base64")}`;
    expect(carrier.tunnels.length).toBeGreaterThan(0);
    for (const tunnel of carrier.tunnels)
      expect(tunnel).toEqual({ target: started.forge.host, authorization });
  });

  it("asks the unknown host of a clone's remote through the proxy which forge it is", async () => {
    const { started, carrier } = await startBoth("gitlab");
    started.forge.interfere = ({ url }) =>
      url.pathname === "/api/v4/version" ? { status: 401, json: { message: "401 Unauthorized" } } : undefined;
    const repository = await testRepository({});
    await repository.git("remote", "add", "origin", `${started.forge.origin}/keep/castle.git`);
    const command = await startCommand(["review", "pr", "7", "--no-open"], {
      cwd: repository.root,
      environment: started.environment,
    });
    expect(await (await fetch(`${await command.url()}/api/pr`)).json()).toMatchObject({ forge: "gitlab" });
    expect(carrier.tunnels[0]?.target).toBe(started.forge.host);
  });

  it("connects directly to a host in NO_PROXY", async () => {
    const { started, carrier } = await startBoth("github");
    const environment = { ...started.environment, NO_PROXY: ".test" };
    const { code, stderr } = await (
      await startCommand(["review", "pr", started.address, "--no-open"], { environment })
    ).ended;
    expect(code).toBe(1);
    expect(stderr).toContain(`Cannot connect to ${started.forge.host}`);
    expect(carrier.tunnels).toEqual([]);
  });

  it("reports that the proxy refused, without its password", async () => {
    const { started, carrier } = await startBoth("github", 407);
    const { code, stderr } = await (
      await startCommand(["review", "pr", started.address, "--no-open"], { environment: started.environment })
    ).ended;
    expect(code).toBe(1);
    expect(stderr).toContain(
      `Cannot connect to ${started.forge.host}: the HTTP proxy http://127.0.0.1:${carrier.port} refused to connect (status 407)`,
    );
    expect(stderr).toContain("HTTPS_PROXY");
    expect(stderr).not.toContain(PASSWORD);
    expect(started.forge.calls).toEqual([]);
  });

  it("names a variable that is not the address of an HTTP proxy", async () => {
    const { started } = await startBoth("github");
    const environment = { ...started.environment, HTTPS_PROXY: "socks5://127.0.0.1:1" };
    const { code, stderr } = await (
      await startCommand(["review", "pr", started.address, "--no-open"], { environment })
    ).ended;
    expect(code).toBe(2);
    expect(stderr).toContain("Cannot use HTTPS_PROXY");
  });
});
