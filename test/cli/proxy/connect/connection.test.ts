import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { proxyClientNamed } from "../../../../src/agents/registry.ts";
import { connect, disconnect } from "../../../../src/cli/proxy/connect/connect.ts";
import { connectionTo } from "../../../../src/cli/proxy/connect/connection.ts";
import { keepNewKey } from "../../../../src/config/proxy/generated-key.ts";
import { disableTimeouts } from "../../../support/patient-fetch.ts";
import { recordOutput } from "../../../support/record-output.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

async function connectTo(upstream: Readonly<Record<string, unknown>>, id = "claude-code") {
  const config = join(await temporaryFolder(), "config.json");
  const proxy = { auth_mode: "strict", api_keys: ["sk-0123456789"], upstreams: { vendor: upstream } };
  await writeFile(config, JSON.stringify({ proxy }));
  const { name, proxy: client } = proxyClientNamed(id);
  return connectionTo({ config }, { name, ...(await client.load()) });
}

describe("the connection of a client", () => {
  it("keeps the client's login for an upstream with credentials: \"client\" of its vendor's first dialect", async () => {
    expect(await connectTo({ vendor: "anthropic", credentials: "client" })).toMatchObject({ ownLogin: true });
    expect(await connectTo({ vendor: "minimax", credentials: "client" })).toMatchObject({ ownLogin: true });
  });

  it("replaces the login for an upstream with a key, or of another dialect", async () => {
    expect(await connectTo({ vendor: "anthropic", api_key: "k" })).toMatchObject({ ownLogin: false });
    expect(await connectTo({ vendor: "openai", credentials: "client" })).toMatchObject({ ownLogin: false });
    expect(
      await connectTo({ vendor: "minimax", dialect: "chat-completions", credentials: "client" }),
    ).toMatchObject({ ownLogin: false });
  });
});

describe("a proxy that requires a key although the configuration does not", () => {
  /** Starts a stub of the proxy that responds to unknown keys with this status. */
  async function connectTo(status: number, keyEnv?: string) {
    disableTimeouts();
    const server = createServer((request, response) => {
      const isKnown = request.headers.authorization === "Bearer sk-0123456789";
      response.writeHead(isKnown || request.url === "/healthz" ? 200 : status).end("{}");
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    onTestFinished(() => void server.close());
    const port = (server.address() as AddressInfo).port;
    const config = join(await temporaryFolder(), "config.json");
    await writeFile(config, JSON.stringify({ proxy: { port, upstreams: {} } }));
    const { name, proxy: client } = proxyClientNamed("claude-code");
    return connectionTo(
      { config, ...(keyEnv !== undefined && { keyEnv }) },
      { name, ...(await client.load()) },
    );
  }

  it("is not connected with a placeholder, which it would reject", async () => {
    await expect(connectTo(401)).rejects.toMatchObject({
      code: "configuration",
      message: expect.stringMatching(/^The proxy at http:.* requires a key$/),
      hint: expect.stringContaining("--key-env"),
    });
    expect(await connectTo(200)).toMatchObject({ key: "sallyport" });
    vi.stubEnv("TEST_PROXY_KEY", "sk-0123456789");
    expect(await connectTo(401, "TEST_PROXY_KEY")).toMatchObject({ key: "sk-0123456789" });
    vi.unstubAllEnvs();
  });
});

describe("a key that the proxy has generated", () => {
  const connectWith = async (keys: readonly unknown[]) => {
    const config = join(await temporaryFolder(), "config.json");
    await writeFile(
      config,
      JSON.stringify({ proxy: { auth_mode: "strict", api_keys: keys, upstreams: {} } }),
    );
    const { name, proxy: client } = proxyClientNamed("claude-code");
    return connectionTo({ config }, { name, ...(await client.load()) });
  };

  it("is used only if the configuration lists no keys, because the proxy rejects it otherwise", async () => {
    const data = await temporaryFolder();
    vi.stubEnv("SALLYPORT_HOME", data);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { key } = await keepNewKey(data);
    expect(await connectWith([])).toMatchObject({ key });
    await expect(connectWith([{ name: "ci", sha256: "0".repeat(64) }])).rejects.toMatchObject({
      code: "configuration",
      message: "The proxy requires a key, and the configuration contains no key that this command can read",
    });
  });
});

describe("a connection in the settings of a project", () => {
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });

  const flags = { project: true, yes: true, print: false, url: "http://127.0.0.1:9" };

  async function makeProject(): Promise<string> {
    const home = await temporaryFolder();
    for (const name of ["HOME", "USERPROFILE"]) vi.stubEnv(name, home);
    for (const name of ["XDG_CONFIG_HOME", "XDG_DATA_HOME"]) vi.stubEnv(name, undefined);
    const project = join(home, "project");
    await mkdir(join(project, ".git"), { recursive: true });
    vi.spyOn(process, "cwd").mockReturnValue(project);
    return project;
  }

  it("is refused for Codex, which ignores providers there", async () => {
    await makeProject();
    await expect(connect("codex", flags, recordOutput().output)).rejects.toMatchObject({
      code: "usage",
      message: "Codex CLI ignores the proxy's address in the settings of a project",
    });
  });

  it("causes a warning if it contains the proxy's key, which could be committed", async () => {
    const project = await makeProject();
    const settings = join(project, ".claude/settings.json");
    const warn = async (key: string | undefined) => {
      const { notes, output } = recordOutput();
      vi.stubEnv("TEST_PROXY_KEY", key);
      const keyed = key === undefined ? flags : { ...flags, keyEnv: "TEST_PROXY_KEY" };
      expect(await connect("claude-code", keyed, output)).toBe(0);
      return notes.filter((note) => note.startsWith("Warning"));
    };
    expect(await warn(undefined)).toEqual([]);
    const warning = `Warning: the proxy's key is in ${settings}. Do not commit it.`;
    expect(await warn("sk-0123456789")).toEqual([warning]);
  });

  it("can be removed from Codex if an earlier version has written it", async () => {
    const file = join(await makeProject(), ".codex/config.toml");
    await mkdir(dirname(file));
    await writeFile(file, `${OWN_BLOCK}model = "m"\n`);
    expect(await disconnect("codex", flags, recordOutput().output)).toBe(0);
    expect(await readFile(file, "utf8")).toBe('model = "m"\n');
  });

  const OWN_BLOCK = '# >>> sallyport\nmodel_provider = "sallyport"\n# <<< sallyport\n';
});
