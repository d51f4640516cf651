import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  type FakeUpstream,
  type Hit,
  json,
  type Respond,
  startFakeUpstream,
} from "../../../support/fake-upstream.ts";
import { startTestProxy } from "../../../support/start-proxy.ts";
import { type AwsKey, findSignatureProblem } from "./aws-stand-in.ts";

const CLAUDE = "eu.anthropic.claude-sonnet-4-5-20250929-v1:0";
const closers: (() => Promise<unknown>)[] = [];
beforeEach(() => {
  // Otherwise AWS's library would read the variables and files of the user who runs the tests.
  for (const name of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE"])
    vi.stubEnv(name, "");
  vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null");
  vi.stubEnv("AWS_CONFIG_FILE", "/dev/null");
  vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");
});
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
  vi.unstubAllEnvs();
});

async function start(respond: Respond): Promise<FakeUpstream> {
  const fake = await startFakeUpstream(respond);
  closers.push(fake.close);
  return fake;
}

/** Starts a service whose responses are numbered from 1. */
const startCounting = async (responseTo: (count: number, hit: Hit) => object) => {
  const service: FakeUpstream = await start((hit, response) =>
    json(responseTo(service.hits.length, hit))(hit, response),
  );
  return service;
};

async function writeTemporary(name: string, content: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "sallyport-sign-in-"));
  closers.push(() => rm(folder, { recursive: true }));
  const file = join(folder, name);
  await writeFile(file, content);
  return file;
}

/** Starts a proxy with one upstream and returns a function that calls it. */
async function proxyTo(upstream: object, environment: Record<string, string> = {}) {
  const proxy = await startTestProxy(
    { upstreams: { cloud: upstream }, models: [{ match: "*", upstream: "cloud" }] },
    environment,
  );
  closers.push(proxy.close);
  return (path: string, body: object, headers: Record<string, string> = {}) =>
    fetch(`${proxy.url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
}

const message = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-sonnet-4-5",
  content: [{ type: "text", text: "Hello" }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 9, output_tokens: 4 },
};
const hi = { model: CLAUDE, max_tokens: 50, messages: [{ role: "user", content: "Hi" }] };

const generation = (count: number): AwsKey => ({
  id: `ASIA${count}`,
  secret: `secret/${count}`,
  token: `token-${count}`,
});
const toContainerResponse = (count: number) => ({
  AccessKeyId: `ASIA${count}`,
  SecretAccessKey: `secret/${count}`,
  Token: `token-${count}`,
  Expiration: new Date(Date.now() + 3_600_000).toISOString(),
});
const exception = (name: string, text: string, headers: Record<string, string> = {}) =>
  json({ message: text }, 403, { "x-amzn-errortype": `${name}:http://internal.amazon.com/`, ...headers });

/** Starts a stand-in for Bedrock, which accepts requests that `key` has signed, and a proxy that calls it. */
async function bedrock(
  key: () => AwsKey,
  {
    refusal = exception("ExpiredTokenException", "The security token included in the request is expired"),
    aws = {},
    environment = {},
  }: {
    refusal?: Respond;
    aws?: object;
    environment?: Record<string, string>;
  } = {},
) {
  const fake = await start((hit, response) =>
    findSignatureProblem(hit, key(), "bedrock") === undefined
      ? json(message)(hit, response)
      : refusal(hit, response),
  );
  const upstream = { vendor: "bedrock", base_url: fake.url, aws: { region: "eu-west-3", ...aws } };
  const post = await proxyTo(upstream, environment);
  return { fake, ask: () => post("/v1/messages", hi), post };
}

describe("AWS credentials", () => {
  it("are read again when Bedrock reports that they have expired, and the call succeeds", async () => {
    const container = await startCounting(toContainerResponse);
    vi.stubEnv("AWS_CONTAINER_CREDENTIALS_FULL_URI", `${container.url}/credentials`);
    let valid = generation(1);
    const { ask, fake } = await bedrock(() => valid);
    expect((await ask()).status).toBe(200);
    valid = generation(2);
    const second = await ask();
    expect([second.status, await second.json()]).toEqual([200, message]);
    expect([fake.hits.length, container.hits.length]).toEqual([3, 2]);
    expect(fake.hits[2]?.body).toEqual(fake.hits[1]?.body);
  });

  it("are requested from a role again when Bedrock reports that they have expired", async () => {
    vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "source-secret");
    const sts: FakeUpstream = await start((_hit, response) => {
      const { id, secret, token } = generation(sts.hits.length);
      const expiration = new Date(Date.now() + 3_600_000).toISOString();
      response.end(
        `<AssumeRoleResponse><AccessKeyId>${id}</AccessKeyId><SecretAccessKey>${secret}</SecretAccessKey><SessionToken>${token}</SessionToken><Expiration>${expiration}</Expiration></AssumeRoleResponse>`,
      );
    });
    let valid = generation(1);
    const { ask } = await bedrock(() => valid, {
      aws: { role_arn: "arn:aws:iam::123456789012:role/proxy" },
      environment: { AWS_ENDPOINT_URL_STS: `${sts.url}/` },
    });
    expect((await ask()).status).toBe(200);
    valid = generation(2);
    expect((await ask()).status).toBe(200);
    expect(sts.hits.length).toBe(2);
  });

  it("are tried twice if they stay rejected, and the error contains a remedy", async () => {
    const container = await startCounting(toContainerResponse);
    vi.stubEnv("AWS_CONTAINER_CREDENTIALS_FULL_URI", `${container.url}/credentials`);
    const { ask, fake } = await bedrock(() => generation(99));
    const response = await ask();
    expect(response.status).toBe(403);
    expect(await response.text()).toContain(
      "The security token included in the request is expired. Check the credentials that the proxy finds",
    );
    expect(fake.hits.length).toBe(2);
  });

  it("are used with the server's time if this machine's clock is wrong", async () => {
    vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "secret");
    const ahead = () => new Date(Date.now() + 20 * 60_000);
    const fake = await start((hit, response) => {
      const [, year, month, day, hour, minute] =
        /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)/.exec(String(hit.headers["x-amz-date"])) ?? [];
      const signedAt = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute));
      const isNear = Math.abs(signedAt - ahead().getTime()) < 5 * 60_000;
      return isNear
        ? json(message)(hit, response)
        : exception(
            "InvalidSignatureException",
            "Signature expired: 20261123T100000Z is now earlier than …",
            {
              date: ahead().toUTCString(),
            },
          )(hit, response);
    });
    const post = await proxyTo({ vendor: "bedrock", base_url: fake.url, aws: { region: "eu-west-3" } });
    expect((await post("/v1/messages", hi)).status).toBe(200);
    expect((await post("/v1/messages", hi)).status).toBe(200);
    expect(fake.hits.length).toBe(3);
  });

  it("come from the instance's metadata service (IMDSv2)", async () => {
    const imds = await start((hit, response) => {
      if (hit.method === "PUT") return response.end("imds-token");
      if (hit.headers["x-aws-ec2-metadata-token"] !== "imds-token") return response.writeHead(401).end();
      const isRole = hit.url.endsWith("/security-credentials/proxy-role");
      return isRole
        ? json({ Code: "Success", ...toContainerResponse(7) })(hit, response)
        : response.end("proxy-role");
    });
    vi.stubEnv("AWS_EC2_METADATA_DISABLED", "false");
    vi.stubEnv("AWS_EC2_METADATA_SERVICE_ENDPOINT", imds.url);
    const { ask } = await bedrock(() => generation(7));
    expect((await ask()).status).toBe(200);
    expect(imds.hits[0]?.method).toBe("PUT");
  });

  it("come from a web identity, as in Kubernetes pods", async () => {
    const sts = await start((_hit, response) => {
      const { id, secret, token } = generation(3);
      response.setHeader("content-type", "text/xml");
      response.end(
        `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>${id}</AccessKeyId><SecretAccessKey>${secret}</SecretAccessKey><SessionToken>${token}</SessionToken><Expiration>${new Date(Date.now() + 3_600_000).toISOString()}</Expiration></Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`,
      );
    });
    vi.stubEnv("AWS_WEB_IDENTITY_TOKEN_FILE", await writeTemporary("token", "service-account-jwt"));
    vi.stubEnv("AWS_ROLE_ARN", "arn:aws:iam::123456789012:role/pod");
    vi.stubEnv("AWS_REGION", "eu-west-3");
    vi.stubEnv("AWS_ENDPOINT_URL_STS", sts.url);
    const { ask } = await bedrock(() => generation(3));
    expect((await ask()).status).toBe(200);
    expect(Object.fromEntries(new URLSearchParams(sts.hits[0]?.body.toString()))).toMatchObject({
      Action: "AssumeRoleWithWebIdentity",
      RoleArn: "arn:aws:iam::123456789012:role/pod",
      WebIdentityToken: "service-account-jwt",
    });
  });

  it("come from the keys or the process of a profile", async () => {
    const program = `${process.execPath} -e 'console.log(JSON.stringify({Version:1,AccessKeyId:"ASIA5",SecretAccessKey:"secret/5",SessionToken:"token-5"}))'`;
    const file = await writeTemporary(
      "config",
      `[profile keys]\naws_access_key_id = ASIA4\naws_secret_access_key = secret/4\naws_session_token = token-4\n\n[profile program]\ncredential_process = ${program}\n`,
    );
    vi.stubEnv("AWS_CONFIG_FILE", file);
    const keys = await bedrock(() => generation(4), { aws: { profile: "keys" } });
    expect((await keys.ask()).status).toBe(200);
    const fromProgram = await bedrock(() => generation(5), { aws: { profile: "program" } });
    expect((await fromProgram.ask()).status).toBe(200);
  });
});

const generated = {
  candidates: [{ content: { role: "model", parts: [{ text: "Hello" }] }, finishReason: "STOP" }],
  usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 },
};
const contents = [{ role: "user", parts: [{ text: "Hi" }] }];
const { privateKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
});
const serviceAccount = (token_uri: string) =>
  JSON.stringify({
    type: "service_account",
    private_key: privateKey,
    client_email: "proxy@acme.iam.gserviceaccount.com",
    token_uri,
  });

/** Starts a stand-in for Vertex AI, which accepts one token, and a proxy that gets tokens from a metadata server. */
async function vertex(validToken: () => string, expiresIn: () => number = () => 3600) {
  const metadata = await startCounting((count) => ({
    access_token: `token-${count}`,
    expires_in: expiresIn(),
  }));
  const fake = await start((hit, response) =>
    hit.headers.authorization === `Bearer ${validToken()}`
      ? json(generated)(hit, response)
      : json({ error: { code: 401, message: "Invalid credentials.", status: "UNAUTHENTICATED" } }, 401)(
          hit,
          response,
        ),
  );
  const google = { project: "acme", location: "europe-west1" };
  const post = await proxyTo(
    { vendor: "vertex", google, base_url: fake.url },
    { GCE_METADATA_HOST: metadata.url.replace("http://", ""), CLOUDSDK_CONFIG: "/nonexistent" },
  );
  const ask = () => post("/v1beta/models/gemini-2.5-flash:generateContent", { contents });
  return { metadata, fake, post, ask };
}

describe("Google's tokens", () => {
  it("are replaced when Vertex AI rejects them, once for concurrent calls", async () => {
    let valid = "token-1";
    const { ask, metadata } = await vertex(() => valid);
    expect((await ask()).status).toBe(200);
    valid = "token-2";
    const responses = await Promise.all([ask(), ask(), ask()]);
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(metadata.hits.length).toBe(2);
  });

  it("stay in use until they expire if the token service fails", async () => {
    const { ask, metadata } = await vertex(
      () => "token-1",
      () => 200,
    );
    expect((await ask()).status).toBe(200);
    metadata.respond = json({ error: "unavailable" }, 503);
    vi.spyOn(Date, "now").mockReturnValue(Date.now() + 150_000);
    expect((await ask()).status).toBe(200);
    expect((await ask()).status).toBe(200);
    vi.mocked(Date.now).mockRestore();
    // A failed request is not repeated on every call.
    expect(metadata.hits.length).toBe(2);
  });

  it("are requested with the server's time if this machine's clock is wrong", async () => {
    const ahead = Date.now() + 3 * 3_600_000;
    const service = await start((hit, response) => {
      const assertion = new URLSearchParams(hit.body.toString()).get("assertion") ?? "";
      const claims = JSON.parse(Buffer.from(assertion.split(".")[1] ?? "", "base64url").toString());
      const isNear = Math.abs(claims.iat * 1000 - ahead) < 5 * 60_000;
      return isNear
        ? json({ access_token: "token-9", expires_in: 3600 })(hit, response)
        : json(
            { error: "invalid_grant", error_description: "Invalid JWT: Token must be a short-lived token" },
            400,
            { date: new Date(ahead).toUTCString() },
          )(hit, response);
    });
    const fake = await start(json(generated));
    const credentials_file = await writeTemporary("account.json", serviceAccount(service.url));
    const google = { project: "acme", location: "europe-west1", credentials_file };
    const post = await proxyTo({ vendor: "vertex", google, base_url: fake.url });
    const response = await post("/v1beta/models/gemini-2.5-flash:generateContent", { contents });
    expect([response.status, service.hits.length]).toEqual([200, 2]);
    expect(fake.hits[0]?.headers.authorization).toBe("Bearer token-9");
  });
});

describe("Entra's tokens", () => {
  it("are replaced when Azure rejects them", async () => {
    const tokens = await startCounting((count) => ({ access_token: `entra-${count}`, expires_in: 3600 }));
    let valid = "Bearer entra-1";
    const fake = await start((hit, response) =>
      hit.headers.authorization === valid
        ? json({ object: "chat.completion", choices: [] })(hit, response)
        : json({ error: { code: "401", message: "The token has expired." } }, 401)(hit, response),
    );
    const azure = { tenant_id: "t", client_id: "c", client_secret: "entra-secret-3" };
    const post = await proxyTo(
      { vendor: "azure", base_url: fake.url, azure },
      { AZURE_AUTHORITY_HOST: tokens.url },
    );
    const ask = () => post("/v1/chat/completions", { model: "gpt-5", messages: hi.messages });
    expect((await ask()).status).toBe(200);
    valid = "Bearer entra-2";
    expect((await ask()).status).toBe(200);
    expect([tokens.hits.length, fake.hits.length]).toEqual([2, 3]);
  });
});

describe("rejections of a platform", () => {
  it("contain a remedy on Amazon Bedrock", async () => {
    vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "secret");
    const { ask } = await bedrock(() => generation(0), {
      refusal: exception(
        "AccessDeniedException",
        "User: arn:aws:iam::1:user/a is not authorized to perform: bedrock:InvokeModel",
      ),
    });
    const response = await ask();
    expect([response.status, await response.json()]).toMatchObject([
      403,
      {
        error: {
          type: "permission_error",
          message: expect.stringMatching(
            /bedrock:InvokeModel\. Allow this action in a policy of the user or role/,
          ),
        },
      },
    ]);
  });

  it("contain a remedy on Google Vertex AI, for native and translated calls", async () => {
    const { post, fake } = await vertex(() => "token-1");
    fake.respond = json(
      {
        error: {
          code: 403,
          message: "Permission 'aiplatform.endpoints.predict' denied on resource.",
          status: "PERMISSION_DENIED",
        },
      },
      403,
    );
    for (const [path, body] of [
      ["/v1beta/models/gemini-2.5-flash:generateContent", { contents }],
      ["/v1/chat/completions", { model: "gemini-2.5-flash", messages: hi.messages }],
    ] as const) {
      const response = await post(path, body);
      expect(response.status).toBe(403);
      expect(await response.text()).toContain("denied on resource. Give the account the role Vertex AI User");
    }
  });

  it("contain a remedy on Azure", async () => {
    const fake = await start(
      json(
        {
          error: {
            code: "PermissionDenied",
            message: "The principal `p` lacks the required data action",
          },
        },
        403,
      ),
    );
    const post = await proxyTo({ vendor: "azure", base_url: fake.url, api_key: "azure-key-2" });
    const response = await post("/v1/chat/completions", { model: "gpt-5", messages: hi.messages });
    expect([response.status, await response.text()]).toEqual([
      403,
      expect.stringContaining("data action. Give the identity the role Cognitive Services OpenAI User"),
    ]);
  });
});

describe("beta features that Bedrock does not document", () => {
  it("are dropped after their first rejection, while documented features are sent", async () => {
    vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "secret");
    const betas = (hit: Hit | undefined): string[] | undefined =>
      JSON.parse(hit?.body.toString() ?? "{}").anthropic_beta;
    const fake = await start((hit, response) =>
      betas(hit)?.includes("claude-code-20250219")
        ? json({ message: "invalid beta flag" }, 400, { "x-amzn-errortype": "ValidationException" })(
            hit,
            response,
          )
        : json(message)(hit, response),
    );
    const post = await proxyTo({ vendor: "bedrock", base_url: fake.url, aws: { region: "eu-west-3" } });
    const header = { "anthropic-beta": "claude-code-20250219,interleaved-thinking-2025-05-14" };
    expect((await post("/v1/messages", hi, header)).status).toBe(200);
    expect((await post("/v1/messages", hi, header)).status).toBe(200);
    const binding = "thinking-binding-controls-2026-08-01";
    const bound = {
      thinking: { type: "adaptive", block_binding: { prefix_mismatch_behavior: "drop_block" } },
    };
    const both = { "anthropic-beta": `claude-code-20250219,${binding}` };
    expect((await post("/v1/messages", { ...hi, ...bound }, both)).status).toBe(200);
    expect((await post("/v1/messages", hi, both)).status).toBe(200);
    expect(fake.hits.map(betas)).toEqual([
      ["claude-code-20250219", "interleaved-thinking-2025-05-14"],
      ["interleaved-thinking-2025-05-14"],
      ["interleaved-thinking-2025-05-14"],
      [binding],
      undefined,
    ]);
  });
});
