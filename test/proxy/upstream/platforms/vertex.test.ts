import { createVerify, generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type FakeUpstream, json, type Respond, startFakeUpstream } from "../../../support/fake-upstream.ts";
import { configOf, startTestProxy } from "../../../support/start-proxy.ts";

const JSON_TYPE = { "content-type": "application/json" };
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

const keys = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
});

/** Starts a token service that issues `token-1`, `token-2` …, each valid for `seconds`. */
async function startTokenService(seconds: number): Promise<FakeUpstream> {
  const service: FakeUpstream = await startFakeUpstream((hit, response) =>
    json({ access_token: `token-${service.hits.length}`, expires_in: seconds, token_type: "Bearer" })(
      hit,
      response,
    ),
  );
  closers.push(service.close);
  return service;
}

/** Writes a file with credentials and returns its path. */
async function writeCredentials(content: object): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "sallyport-vertex-"));
  closers.push(() => rm(folder, { recursive: true }));
  const file = join(folder, "credentials.json");
  await writeFile(file, JSON.stringify(content));
  return file;
}

const serviceAccount = (token_uri: string) => ({
  type: "service_account",
  project_id: "acme",
  private_key_id: "k1",
  private_key: keys.privateKey,
  client_email: "proxy@acme.iam.gserviceaccount.com",
  token_uri,
});

async function behind(
  respond: Respond,
  upstream: { readonly dialect?: string; readonly google: object },
  environment: Record<string, string> = {},
) {
  const fake = await startFakeUpstream(respond);
  closers.push(fake.close);
  const google = { project: "acme", location: "europe-west1", ...upstream.google };
  const proxy = await startTestProxy(
    {
      upstreams: { gcp: { vendor: "vertex", ...upstream, google, base_url: fake.url } },
      models: [{ match: "*", upstream: "gcp" }],
    },
    environment,
  );
  closers.push(proxy.close);
  const post = (path: string, body: object) =>
    fetch(`${proxy.url}${path}`, { method: "POST", headers: JSON_TYPE, body: JSON.stringify(body) });
  return { fake, proxy, post };
}

const generated = {
  candidates: [{ content: { role: "model", parts: [{ text: "Hello" }] }, finishReason: "STOP" }],
  usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 },
};
const contents = [{ role: "user", parts: [{ text: "Hi" }] }];
const message = {
  id: "msg_vrtx_1",
  type: "message",
  role: "assistant",
  model: "claude-sonnet-4-5-20250929",
  content: [{ type: "text", text: "Hello" }],
  stop_reason: "end_turn",
  usage: { input_tokens: 9, output_tokens: 4 },
};

describe("Gemini on Vertex AI", () => {
  it("is called with the token of a service account, whose assertion is signed", async () => {
    const tokens = await startTokenService(3600);
    const credentials_file = await writeCredentials(serviceAccount(`${tokens.url}/token`));
    const { fake, post } = await behind(json(generated), { google: { credentials_file } });
    const own = await post("/v1beta/models/gemini-2.5-flash:generateContent", { contents });
    expect([own.status, await own.json()]).toEqual([200, generated]);
    const chat = await post("/v1/chat/completions", {
      model: "gemini-2.5-flash",
      messages: [{ role: "user", content: "Hi" }],
    });
    expect(await chat.json()).toMatchObject({ choices: [{ message: { content: "Hello" } }] });
    const path =
      "/v1/projects/acme/locations/europe-west1/publishers/google/models/gemini-2.5-flash:generateContent";
    expect(fake.hits.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      [path, "Bearer token-1"],
      [path, "Bearer token-1"],
    ]);
    const form = new URLSearchParams(tokens.hits[0]?.body.toString());
    const [header = "", claims = "", signature = ""] = form.get("assertion")?.split(".") ?? [];
    const isSigned = createVerify("RSA-SHA256")
      .update(`${header}.${claims}`)
      .verify(keys.publicKey, signature, "base64url");
    expect([tokens.hits.length, isSigned, form.get("grant_type")]).toEqual([
      1,
      true,
      "urn:ietf:params:oauth:grant-type:jwt-bearer",
    ]);
    expect(JSON.parse(Buffer.from(claims, "base64url").toString())).toMatchObject({
      iss: "proxy@acme.iam.gserviceaccount.com",
      aud: `${tokens.url}/token`,
      scope: "https://www.googleapis.com/auth/cloud-platform",
    });
  });

  it("counts tokens without the nesting that only the Gemini API accepts", async () => {
    const tokens = await startTokenService(3600);
    const credentials_file = await writeCredentials(serviceAccount(tokens.url));
    const { fake, post } = await behind(json({ totalTokens: 7 }), { google: { credentials_file } });
    const nested = {
      model: "models/gemini-2.5-flash",
      contents,
      systemInstruction: { parts: [{ text: "x" }] },
    };
    const response = await post("/v1beta/models/gemini-2.5-flash:countTokens", {
      generateContentRequest: nested,
    });
    expect(await response.json()).toEqual({ totalTokens: 7 });
    expect(JSON.parse(fake.hits[0]?.body.toString() ?? "")).toEqual({
      model: "projects/acme/locations/europe-west1/publishers/google/models/gemini-2.5-flash",
      contents,
      systemInstruction: { parts: [{ text: "x" }] },
    });
  });

  it("is listed with the publisher's models", async () => {
    const tokens = await startTokenService(3600);
    const credentials_file = await writeCredentials(serviceAccount(tokens.url));
    const { fake, proxy } = await behind(
      json({ publisherModels: [{ name: "publishers/google/models/gemini-2.5-pro" }] }),
      { google: { credentials_file } },
    );
    const response = await fetch(`${proxy.url}/v1/models`);
    expect(await response.json()).toMatchObject({ data: [{ id: "gemini-2.5-pro" }] });
    expect(fake.hits[0]?.url).toBe("/v1beta1/publishers/google/models?pageSize=300");
  });
});

describe("Claude on Vertex AI", () => {
  it("is called by rawPredict and streamRawPredict, with the client's members and beta features", async () => {
    const tokens = await startTokenService(3600);
    const credentials_file = await writeCredentials(serviceAccount(tokens.url));
    const stream =
      'event: message_start\ndata: {"type":"message_start"}\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n';
    const { fake, proxy } = await behind(
      (hit, response) =>
        hit.url.includes(":streamRawPredict")
          ? response.writeHead(200, { "content-type": "text/event-stream" }).end(stream)
          : json(message)(hit, response),
      { dialect: "messages", google: { credentials_file } },
    );
    const body = {
      model: "claude-sonnet-4-5@20250929",
      max_tokens: 9,
      messages: [{ role: "user", content: "Hi" }],
    };
    const headers = {
      ...JSON_TYPE,
      "anthropic-version": "2023-06-01",
      "anthropic-beta": "context-1m-2025-08-07",
    };
    for (const isStream of [false, true]) {
      const response = await fetch(`${proxy.url}/v1/messages`, {
        method: "POST",
        headers,
        body: JSON.stringify({ ...body, ...(isStream && { stream: true }) }),
      });
      expect(await response.text()).toBe(isStream ? stream : JSON.stringify(message));
    }
    const base = "/v1/projects/acme/locations/europe-west1/publishers/anthropic/models";
    expect(fake.hits.map(({ url }) => url)).toEqual([
      `${base}/claude-sonnet-4-5@20250929:rawPredict`,
      `${base}/claude-sonnet-4-5@20250929:streamRawPredict`,
    ]);
    const { model: _, ...members } = body;
    expect(JSON.parse(fake.hits[0]?.body.toString() ?? "")).toEqual({
      anthropic_version: "vertex-2023-10-16",
      ...members,
    });
    expect(fake.hits[0]?.headers).toMatchObject({ "anthropic-beta": headers["anthropic-beta"] });
    expect(fake.hits[0]?.headers).not.toHaveProperty("anthropic-version");
    await fetch(`${proxy.url}/v1/messages/count_tokens`, {
      method: "POST",
      headers: { ...JSON_TYPE, "anthropic-version": "2026-10-21" },
      body: JSON.stringify(body),
    });
    expect(fake.hits[2]?.url).toBe(`${base}/count-tokens:rawPredict`);
    expect(JSON.parse(fake.hits[2]?.body.toString() ?? "")).toEqual({
      anthropic_version: "2026-10-21",
      ...body,
    });
    expect(JSON.parse(fake.hits[2]?.body.toString() ?? "")).toHaveProperty("model", body.model);
  });

  it("returns Google's errors in Anthropic's form", async () => {
    const tokens = await startTokenService(3600);
    const credentials_file = await writeCredentials(serviceAccount(tokens.url));
    const error = {
      error: { code: 429, message: "Quota exceeded for base_model", status: "RESOURCE_EXHAUSTED" },
    };
    const { post } = await behind(json(error, 429), { dialect: "messages", google: { credentials_file } });
    const response = await post("/v1/messages", { model: "claude-opus-4-5", max_tokens: 9, messages: [] });
    expect([response.status, await response.json()]).toEqual([
      429,
      { type: "error", error: { type: "rate_limit_error", message: "Quota exceeded for base_model" } },
    ]);
  });
});

describe("signing in to Google Cloud", () => {
  const call = async (google: object, environment: Record<string, string> = {}) => {
    const setup = await behind(json(generated), { google }, { CLOUDSDK_CONFIG: "/nowhere", ...environment });
    const ask = () => setup.post("/v1beta/models/gemini-2.5-flash:generateContent", { contents });
    return { ...setup, ask };
  };

  it("renews a token before it expires, and requests one token for concurrent calls", async () => {
    for (const [seconds, refreshAfter] of [
      [3600, 3300],
      [200, 100],
    ] as const) {
      const tokens = await startTokenService(seconds);
      const credentials_file = await writeCredentials(serviceAccount(tokens.url));
      const { ask, fake } = await call({ credentials_file });
      const start = Date.now();
      const now = vi.spyOn(Date, "now");
      for (const later of [0, refreshAfter - 10, refreshAfter + 10]) {
        now.mockReturnValue(start + later * 1000);
        await ask();
      }
      now.mockRestore();
      expect(fake.hits.map(({ headers }) => headers.authorization)).toEqual([
        "Bearer token-1",
        "Bearer token-1",
        "Bearer token-2",
      ]);
    }
    const lasting = await startTokenService(3600);
    const second = await call({ credentials_file: await writeCredentials(serviceAccount(lasting.url)) });
    await Promise.all([second.ask(), second.ask(), second.ask()]);
    expect(lasting.hits.length).toBe(1);
  });

  it("uses the user's credentials that gcloud has written", async () => {
    const tokens = await startTokenService(3600);
    const file = await writeCredentials({
      type: "authorized_user",
      client_id: "c1",
      client_secret: "s1",
      refresh_token: "r1",
      token_uri: tokens.url,
    });
    const { ask, fake } = await call({}, { GOOGLE_APPLICATION_CREDENTIALS: file });
    await ask();
    expect(Object.fromEntries(new URLSearchParams(tokens.hits[0]?.body.toString()))).toEqual({
      grant_type: "refresh_token",
      client_id: "c1",
      client_secret: "s1",
      refresh_token: "r1",
    });
    expect(fake.hits[0]?.headers.authorization).toBe("Bearer token-1");
  });

  it("exchanges the token of another identity provider, and impersonates a service account", async () => {
    const tokens = await startTokenService(3600);
    const expireTime = new Date(Date.now() + 3_600_000).toISOString();
    const iam = await startFakeUpstream(json({ accessToken: "impersonated", expireTime }));
    closers.push(iam.close);
    const subject = await writeCredentials({ jwt: "subject-token" });
    const credentials_file = await writeCredentials({
      type: "external_account",
      audience: "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/x",
      subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
      token_url: tokens.url,
      service_account_impersonation_url: `${iam.url}/v1/projects/-/serviceAccounts/a:generateAccessToken`,
      credential_source: { file: subject, format: { type: "json", subject_token_field_name: "jwt" } },
    });
    const { ask, fake } = await call({ credentials_file });
    await ask();
    expect(new URLSearchParams(tokens.hits[0]?.body.toString()).get("subject_token")).toBe("subject-token");
    expect(iam.hits[0]?.headers.authorization).toBe("Bearer token-1");
    expect(fake.hits[0]?.headers.authorization).toBe("Bearer impersonated");
  });

  it("impersonates a service account with the user's credentials", async () => {
    const tokens = await startTokenService(3600);
    const expireTime = new Date(Date.now() + 3_600_000).toISOString();
    const iam = await startFakeUpstream(json({ accessToken: "impersonated", expireTime }));
    closers.push(iam.close);
    const source = { type: "authorized_user", client_id: "c1", client_secret: "s1", refresh_token: "r1" };
    const credentials_file = await writeCredentials({
      type: "impersonated_service_account",
      delegates: ["projects/-/serviceAccounts/b"],
      service_account_impersonation_url: `${iam.url}/v1/projects/-/serviceAccounts/a:generateAccessToken`,
      source_credentials: { ...source, token_uri: tokens.url },
    });
    const { ask, fake } = await call({ credentials_file });
    expect((await ask()).status).toBe(200);
    expect(iam.hits[0]?.headers.authorization).toBe("Bearer token-1");
    expect(JSON.parse(iam.hits[0]?.body.toString() ?? "")).toEqual({
      scope: ["https://www.googleapis.com/auth/cloud-platform"],
      delegates: ["projects/-/serviceAccounts/b"],
    });
    expect(fake.hits[0]?.headers.authorization).toBe("Bearer impersonated");
  });

  it("requests a token from the metadata server on Google Cloud", async () => {
    const metadata = await startTokenService(3600);
    const { ask, fake } = await call({}, { GCE_METADATA_HOST: metadata.url.replace("http://", "") });
    await ask();
    expect(metadata.hits[0]?.url).toMatch(
      /^\/computeMetadata\/v1\/instance\/service-accounts\/default\/token\?scopes=/,
    );
    expect(metadata.hits[0]?.headers["metadata-flavor"]).toBe("Google");
    expect(fake.hits[0]?.headers.authorization).toBe("Bearer token-1");
  });

  it("fails with the reason if credentials are missing, rejected or invalid", async () => {
    const none = await call({}, { GCE_METADATA_HOST: "127.0.0.1:9" });
    expect(await none.ask().then((each) => each.text())).toMatch(
      /cannot sign in to the upstream gcp: no credentials found/,
    );
    const refusing = await startFakeUpstream(
      json({ error: "invalid_grant", error_description: "Invalid JWT Signature." }, 400),
    );
    closers.push(refusing.close);
    const refused = await call({ credentials_file: await writeCredentials(serviceAccount(refusing.url)) });
    expect(await refused.ask().then((each) => each.text())).toContain("Invalid JWT Signature.");
    const invalid = await call({ credentials_file: await writeCredentials({ type: "service_account" }) });
    expect(await invalid.ask().then((each) => each.text())).toMatch(
      /credentials in .* are invalid: client_email/,
    );
  });

  it("needs a project, and uses the address of its location", () => {
    expect(() => configOf({ upstreams: { a: { vendor: "vertex" } } })).toThrow(
      /a\.google: Google Vertex AI needs a project/,
    );
    const at = (location?: string, dialect?: string) =>
      configOf({
        upstreams: { a: { vendor: "vertex", dialect, google: { project: "p", location } } },
      }).upstreams.get("a")?.baseUrl;
    expect(at()).toBe("https://aiplatform.googleapis.com/v1/projects/p/locations/global/publishers/google");
    expect(at("us-east5", "messages")).toBe(
      "https://us-east5-aiplatform.googleapis.com/v1/projects/p/locations/us-east5/publishers/anthropic",
    );
    expect(at("eu", "chat-completions")).toBe(
      "https://aiplatform.eu.rep.googleapis.com/v1/projects/p/locations/eu/endpoints/openapi",
    );
  });
});
