import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { json, startFakeUpstream } from "../../../support/fake-upstream.ts";
import { closeHere, listenHere } from "../../../support/mcp-servers.ts";
import { configOf, startTestProxy, until } from "../../../support/start-proxy.ts";
import { chatResponse } from "../../translate/harness.ts";

const JSON_TYPE = { "content-type": "application/json" };
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** Starts a stand-in for Azure, a token service, and a proxy that calls both. */
async function behind(
  upstream: object,
  environment: (tokensUrl: string) => Record<string, string> = () => ({}),
) {
  const fake = await startFakeUpstream(json(chatResponse({ content: "Hello" })));
  const tokens = await startFakeUpstream((hit, response) =>
    json({ access_token: `entra-${tokens.hits.length}`, expires_in: 3600, token_type: "Bearer" })(
      hit,
      response,
    ),
  );
  closers.push(fake.close, tokens.close);
  const proxy = await startTestProxy(
    {
      upstreams: { azure: { vendor: "azure", base_url: fake.url, ...upstream } },
      models: [{ match: "*", upstream: "azure" }],
    },
    environment(tokens.url),
  );
  closers.push(proxy.close);
  const ask = (path = "/v1/chat/completions", body: object = {}) =>
    fetch(`${proxy.url}${path}`, {
      method: "POST",
      headers: JSON_TYPE,
      body: JSON.stringify({ model: "gpt-5-prod", messages: [{ role: "user", content: "Hi" }], ...body }),
    });
  return { fake, tokens, proxy, ask };
}

const formOf = (body: Buffer | undefined) => Object.fromEntries(new URLSearchParams(body?.toString()));

describe("Azure OpenAI", () => {
  it("receives native and translated calls at the v1 API, with its key", async () => {
    const { fake, ask } = await behind({}, () => ({ AZURE_OPENAI_API_KEY: "azure-key-1" }));
    expect((await ask()).status).toBe(200);
    expect((await ask("/v1/messages", { max_tokens: 9 })).status).toBe(200);
    expect(fake.hits.map(({ url, headers }) => [url, headers["api-key"], headers.authorization])).toEqual([
      ["/openai/v1/chat/completions", "azure-key-1", undefined],
      ["/openai/v1/chat/completions", "azure-key-1", undefined],
    ]);
  });

  it("receives the deployment in the path, and the API version", async () => {
    const { fake, ask } = await behind({ api_key: "azure-key-1", azure: { deployments: true } });
    await ask();
    await ask("/v1/embeddings", { input: "x" });
    expect(fake.hits.map(({ url }) => url)).toEqual([
      "/openai/deployments/gpt-5-prod/chat/completions?api-version=2024-10-21",
      "/openai/deployments/gpt-5-prod/embeddings?api-version=2024-10-21",
    ]);
  });

  it("receives the deployment of a form in the path", async () => {
    const { fake, proxy } = await behind({ api_key: "azure-key-1", azure: { deployments: true } });
    const form = new FormData();
    form.set("file", new Blob(["sound"]), "a.mp3");
    form.set("model", "whisper-prod");
    await fetch(`${proxy.url}/v1/audio/transcriptions`, { method: "POST", body: form });
    expect(fake.hits.map(({ url }) => url)).toEqual([
      "/openai/deployments/whisper-prod/audio/transcriptions?api-version=2024-10-21",
    ]);
    expect(fake.hits[0]?.body.toString()).toContain("sound");
  });

  it("receives an upload as it arrives, whatever its size", async () => {
    let received = 0;
    const server = createServer((request, response) => {
      request.on("data", (chunk: Buffer) => {
        received += chunk.length;
      });
      request.on("end", () => response.end(JSON.stringify({ id: "file-1" })));
    });
    const base_url = await listenHere(server);
    closers.push(() => closeHere(server));
    const proxy = await startTestProxy({
      upstreams: { azure: { vendor: "azure", base_url, api_key: "azure-key-1" } },
    });
    closers.push(proxy.close);
    const headers = { "content-type": "multipart/form-data; boundary=x", "content-length": "10" };
    const upload = request(`${proxy.url}/v1/files`, { method: "POST", headers });
    const responded = once(upload, "response");
    upload.write("12345");
    await until(() => received === 5);
    upload.end("67890");
    const [response] = (await responded) as [IncomingMessage];
    expect([response.statusCode, received]).toEqual([200, 10]);
    response.resume();
  });

  it("has a base URL for each dialect of a resource", () => {
    const at = (dialect: string, azure: object = {}) =>
      configOf({
        upstreams: { a: { vendor: "azure", dialect, azure: { resource: "acme", ...azure } } },
      }).upstreams.get("a")?.baseUrl;
    expect(at("responses")).toBe("https://acme.openai.azure.com/openai/v1");
    expect(at("chat-completions", { api_version: "preview" })).toBe(
      "https://acme.openai.azure.com/openai/v1?api-version=preview",
    );
    expect(at("messages")).toBe("https://acme.services.ai.azure.com/anthropic/v1");
    expect(() => configOf({ upstreams: { a: { vendor: "azure" } } })).toThrow(
      /a\.azure: Azure needs a resource/,
    );
  });
});

describe("signing in with Microsoft Entra ID", () => {
  it("uses a client secret, and requests one token for concurrent calls", async () => {
    const azure = { tenant_id: "tenant-1", client_id: "client-1", client_secret: "entra-secret-1" };
    const { fake, tokens, ask } = await behind({ azure }, (url) => ({ AZURE_AUTHORITY_HOST: url }));
    await Promise.all([ask(), ask(), ask()]);
    expect(tokens.hits.map(({ url }) => url)).toEqual(["/tenant-1/oauth2/v2.0/token"]);
    expect(formOf(tokens.hits[0]?.body)).toEqual({
      grant_type: "client_credentials",
      scope: "https://cognitiveservices.azure.com/.default",
      client_id: "client-1",
      client_secret: "entra-secret-1",
    });
    expect(new Set(fake.hits.map(({ headers }) => headers.authorization))).toEqual(
      new Set(["Bearer entra-1"]),
    );
  });

  it("uses a federated token", async () => {
    const folder = await mkdtemp(join(tmpdir(), "sallyport-azure-"));
    closers.push(() => rm(folder, { recursive: true }));
    const file = join(folder, "token");
    await writeFile(file, "federated-token\n");
    const { fake, tokens, ask } = await behind({}, (url) => ({
      AZURE_AUTHORITY_HOST: `${url}/`,
      AZURE_TENANT_ID: "tenant-1",
      AZURE_CLIENT_ID: "client-1",
      AZURE_FEDERATED_TOKEN_FILE: file,
    }));
    await ask();
    expect(formOf(tokens.hits[0]?.body)).toMatchObject({
      client_assertion: "federated-token",
      client_id: "client-1",
    });
    expect(fake.hits[0]?.headers.authorization).toBe("Bearer entra-1");
  });

  it("uses the managed identity of App Service and of a virtual machine", async () => {
    const service = await behind({}, (url) => ({
      IDENTITY_ENDPOINT: `${url}/msi/token`,
      IDENTITY_HEADER: "identity-header-1",
    }));
    await service.ask();
    expect(service.tokens.hits[0]?.url).toBe(
      "/msi/token?api-version=2019-08-01&resource=https%3A%2F%2Fcognitiveservices.azure.com",
    );
    expect(service.tokens.hits[0]?.headers["x-identity-header"]).toBe("identity-header-1");
    const machine = await behind({}, (url) => ({
      AZURE_POD_IDENTITY_AUTHORITY_HOST: url,
      AZURE_CLIENT_ID: "client-2",
    }));
    await machine.ask();
    expect(machine.tokens.hits[0]?.url).toBe(
      "/metadata/identity/oauth2/token?api-version=2018-02-01&resource=https%3A%2F%2Fcognitiveservices.azure.com&client_id=client-2",
    );
    expect(machine.fake.hits[0]?.headers.authorization).toBe("Bearer entra-1");
  });

  it("fails with Entra's reason", async () => {
    const azure = { tenant_id: "t", client_id: "c", client_secret: "entra-secret-2" };
    const { tokens, ask } = await behind({ azure }, (url) => ({ AZURE_AUTHORITY_HOST: url }));
    tokens.respond = json(
      {
        error: "invalid_client",
        error_description: "AADSTS7000215: Invalid client secret provided.\r\nTrace ID: 1",
      },
      401,
    );
    const response = await ask();
    expect([response.status, await response.text()]).toEqual([
      502,
      expect.stringMatching(
        /cannot sign in to the upstream azure: AADSTS7000215: Invalid client secret provided\.(?!.*Trace)/,
      ),
    ]);
  });
});
