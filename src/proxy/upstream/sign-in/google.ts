import { createSign } from "node:crypto";
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import type { VertexPlatform } from "../../../config/proxy/config.ts";
import { asObject, tryParseJson } from "../../exchange/json.ts";
import { createServerClock, type ServerClock } from "./server-clock.ts";
import type { SignIn } from "./sign-in.ts";
import { createTokenSignIn, fetchText, type Token, toExpiry } from "./token-cache.ts";

const SCOPE = "https://www.googleapis.com/auth/cloud-platform";
const TOKEN_URI = "https://oauth2.googleapis.com/token";
const GRANT_TYPE = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const text = z.string().min(1);

/** The credential files that Google's tools write. https://google.aip.dev/auth/4110 */
const credentials = z.discriminatedUnion("type", [
  z.looseObject({
    type: z.literal("service_account"),
    client_email: text,
    private_key: text,
    private_key_id: text.optional(),
    token_uri: text.default(TOKEN_URI),
  }),
  z.looseObject({
    type: z.literal("authorized_user"),
    client_id: text,
    client_secret: text,
    refresh_token: text,
    token_uri: text.default(TOKEN_URI),
  }),
  z.looseObject({
    type: z.literal("external_account"),
    audience: text,
    subject_token_type: text,
    token_url: text,
    service_account_impersonation_url: text.optional(),
    credential_source: z.looseObject({
      file: text.optional(),
      url: text.optional(),
      headers: z.record(z.string(), z.string()).optional(),
      format: z
        .looseObject({ type: z.enum(["text", "json"]), subject_token_field_name: text.optional() })
        .default({ type: "text" }),
    }),
  }),
]);

/** The file of `gcloud auth application-default login --impersonate-service-account`. */
const impersonated = z.looseObject({
  type: z.literal("impersonated_service_account"),
  service_account_impersonation_url: text,
  delegates: z.array(text).optional(),
  source_credentials: credentials,
});

type Credentials = z.infer<typeof credentials>;
type ServiceAccount = Extract<Credentials, { type: "service_account" }>;
type ExternalAccount = Extract<Credentials, { type: "external_account" }>;

const tokenResponse = z.looseObject({ access_token: text, expires_in: z.number().optional() });

/**
 * Creates the sign-in of an upstream with Application Default Credentials. They come from the first of these that
 * exists: the file from the configuration or GOOGLE_APPLICATION_CREDENTIALS; gcloud's file; the metadata server of
 * Google Cloud. A file contains the credentials of a service account, of an impersonated service account, of a user, or
 * of workload identity federation.
 */
export function createGoogleSignIn(platform: VertexPlatform): SignIn {
  return createTokenSignIn(() => requestToken(platform));
}

async function requestToken({ credentialsFile, metadataHost, gcloudFolder }: VertexPlatform): Promise<Token> {
  if (credentialsFile !== undefined)
    return fromFile(credentialsFile, await readFile(credentialsFile, "utf8"));
  const gcloudFile = join(
    gcloudFolder ?? join(homedir(), ".config", "gcloud"),
    "application_default_credentials.json",
  );
  const found = await readFile(gcloudFile, "utf8").catch(() => undefined);
  return found === undefined ? fromMetadataServer(metadataHost) : fromFile(gcloudFile, found);
}

async function fromFile(file: string, content: string): Promise<Token> {
  const json = tryParseJson(content);
  const isImpersonated = asObject(json)["type"] === "impersonated_service_account";
  const parsed = (isImpersonated ? impersonated : credentials).safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Error(
      `the credentials in ${file} are invalid: ${issue?.path.map(String).join(".")} ${issue?.message}`,
    );
  }
  const { data } = parsed;
  if (data.type !== "impersonated_service_account") return fromCredentials(data);
  const { service_account_impersonation_url: url, delegates, source_credentials: source } = data;
  return impersonate(url, await fromCredentials(source), delegates);
}

function fromCredentials(data: Credentials): Promise<Token> {
  switch (data.type) {
    case "service_account":
      return postAssertion(data);
    case "authorized_user":
      return postForm(data.token_uri, {
        grant_type: "refresh_token",
        client_id: data.client_id,
        client_secret: data.client_secret,
        refresh_token: data.refresh_token,
      });
    case "external_account":
      return exchangeToken(data);
  }
}

/**
 * Requests a token with a signed assertion. If the server rejects it and the server's clock differs, sends another with
 * the server's time.
 */
async function postAssertion(account: ServiceAccount): Promise<Token> {
  const clock = createServerClock();
  const post = () => {
    const assertion = createAssertion(account, clock.now());
    return postForm(account.token_uri, { grant_type: GRANT_TYPE, assertion }, clock);
  };
  try {
    return await post();
  } catch (error) {
    if (!clock.isCorrected()) throw error;
    return post();
  }
}

/**
 * Returns an assertion that is signed with the service account's key.
 * https://developers.google.com/identity/protocols/oauth2/service-account#authorizingrequests
 */
function createAssertion(
  { client_email, private_key, private_key_id, token_uri }: ServiceAccount,
  time: number,
): string {
  const now = Math.floor(time / 1000);
  const header = { alg: "RS256", typ: "JWT", ...(private_key_id !== undefined && { kid: private_key_id }) };
  const claims = { iss: client_email, scope: SCOPE, aud: token_uri, iat: now, exp: now + 3600 };
  const encoded = [header, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");
  return `${encoded}.${createSign("RSA-SHA256").update(encoded).sign(private_key, "base64url")}`;
}

/** Exchanges an external identity's token for a Google token (https://google.aip.dev/auth/4117). */
async function exchangeToken(account: ExternalAccount): Promise<Token> {
  const token = await postForm(account.token_url, {
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    requested_token_type: "urn:ietf:params:oauth:token-type:access_token",
    audience: account.audience,
    scope: SCOPE,
    subject_token_type: account.subject_token_type,
    subject_token: await readSubjectToken(account),
  });
  const impersonationUrl = account.service_account_impersonation_url;
  return impersonationUrl === undefined ? token : impersonate(impersonationUrl, token);
}

/**
 * Requests a service account's token, authenticated with another identity's token.
 * https://docs.cloud.google.com/iam/docs/reference/credentials/rest/v1/projects.serviceAccounts/generateAccessToken
 */
async function impersonate(url: string, token: Token, delegates?: readonly string[]): Promise<Token> {
  const response = await fetchText(url, {
    method: "POST",
    headers: { authorization: `Bearer ${token.text}`, "content-type": "application/json" },
    body: JSON.stringify({ scope: [SCOPE], delegates }),
  });
  const { accessToken, expireTime } = z
    .looseObject({ accessToken: text, expireTime: text })
    .parse(tryParseJson(response));
  return { text: accessToken, expiresAt: Date.parse(expireTime) };
}

async function readSubjectToken({ credential_source: source }: ExternalAccount): Promise<string> {
  const { file, url, headers = {}, format } = source;
  if (file === undefined && url === undefined)
    throw new Error(
      "the credentials of workload identity federation have neither a file nor a URL as source",
    );
  const content = file === undefined ? await fetchText(url ?? "", { headers }) : await readFile(file, "utf8");
  if (format.type === "text") return content.trim();
  return z.string().parse(asObject(tryParseJson(content))[format.subject_token_field_name ?? ""]);
}

/**
 * Requests a token from the metadata server of Google's machines.
 * https://docs.cloud.google.com/compute/docs/metadata/overview
 */
async function fromMetadataServer(host: string): Promise<Token> {
  const url = `http://${host}/computeMetadata/v1/instance/service-accounts/default/token?scopes=${encodeURIComponent(SCOPE)}`;
  const content = await fetchText(url, { headers: { "metadata-flavor": "Google" }, timeoutMs: 3_000 }).catch(
    () => {
      throw new Error(
        "no credentials found; set google.credentials_file or GOOGLE_APPLICATION_CREDENTIALS, or run gcloud auth application-default login",
      );
    },
  );
  return readToken(content);
}

async function postForm(
  url: string,
  members: Readonly<Record<string, string>>,
  clock?: ServerClock,
): Promise<Token> {
  return readToken(await fetchText(url, { method: "POST", body: new URLSearchParams(members), clock }));
}

function readToken(content: string): Token {
  const { access_token, expires_in } = tokenResponse.parse(tryParseJson(content));
  return { text: access_token, expiresAt: toExpiry(expires_in) };
}
