import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { z } from "zod";
import type { EntraSignIn } from "../../../config/proxy/config.ts";
import { tryParseJson } from "../../exchange/json.ts";
import type { SignIn } from "./sign-in.ts";
import { createTokenSignIn, fetchText, type Token, toExpiry } from "./token-cache.ts";

const run = promisify(execFile);

/** The response of token endpoints. The endpoints of managed identities return numbers as strings. */
const tokenResponse = z.looseObject({
  access_token: z.string().min(1),
  expires_in: z.coerce.number().optional(),
  expires_on: z.coerce.number().optional(),
});

/**
 * Creates the sign-in of an upstream with Microsoft Entra ID. The token comes from the first of these that is
 * available: a client secret; a federated token file (workload identity); the managed identity of App Service or of a
 * virtual machine; the Azure CLI.
 * https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow
 */
export function createEntraSignIn(entra: EntraSignIn): SignIn {
  return createTokenSignIn(() => requestToken(entra));
}

async function requestToken(entra: EntraSignIn): Promise<Token> {
  const { tenantId, clientId, clientSecret, tokenFile, scope } = entra;
  if (tenantId !== undefined && clientId !== undefined && clientSecret !== undefined)
    return fromTenant(entra, { client_id: clientId, client_secret: clientSecret });
  if (tenantId !== undefined && clientId !== undefined && tokenFile !== undefined) {
    const client_assertion = (await readFile(tokenFile, "utf8")).trim();
    const client_assertion_type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
    return fromTenant(entra, { client_id: clientId, client_assertion_type, client_assertion });
  }
  const resource = scope.replace(/\/\.default$/, "");
  const identity = await fromManagedIdentity(entra, resource);
  return identity ?? fromCommandLine(resource);
}

async function fromTenant(
  { authority, tenantId, scope }: EntraSignIn,
  client: Readonly<Record<string, string>>,
): Promise<Token> {
  const url = `${authority}/${encodeURIComponent(tenantId ?? "")}/oauth2/v2.0/token`;
  const body = new URLSearchParams({ grant_type: "client_credentials", scope, ...client });
  return readToken(await fetchText(url, { method: "POST", body }));
}

/**
 * Requests a token from App Service's endpoint or from the metadata service of virtual machines. Resolves with
 * undefined if App Service's endpoint is not configured and the metadata service returns no token.
 * https://learn.microsoft.com/entra/identity/managed-identities-azure-resources/how-to-use-vm-token
 */
async function fromManagedIdentity(
  { clientId, identityEndpoint, identityHeader, metadataHost }: EntraSignIn,
  resource: string,
): Promise<Token | undefined> {
  const isAppService = identityEndpoint !== undefined && identityHeader !== undefined;
  const url = new URL(isAppService ? identityEndpoint : `${metadataHost}/metadata/identity/oauth2/token`);
  url.searchParams.set("api-version", isAppService ? "2019-08-01" : "2018-02-01");
  url.searchParams.set("resource", resource);
  if (clientId !== undefined) url.searchParams.set("client_id", clientId);
  const headers: Record<string, string> = isAppService
    ? { "x-identity-header": identityHeader }
    : { metadata: "true" };
  if (isAppService) return readToken(await fetchText(url, { headers }));
  // Outside of Azure, the address of the metadata service does not respond.
  const text = await fetchText(url, { headers, timeoutMs: 1_000 }).catch(() => undefined);
  return text === undefined ? undefined : readToken(text);
}

async function fromCommandLine(resource: string): Promise<Token> {
  const parameters = ["account", "get-access-token", "--resource", resource, "--output", "json"];
  const { stdout } = await run("az", parameters, { timeout: 30_000 }).catch(() => {
    throw new Error(
      "no credentials found; set azure.tenant_id, client_id and client_secret, use a managed identity, or run az login",
    );
  });
  const { accessToken, expires_on } = z
    .looseObject({ accessToken: z.string(), expires_on: z.coerce.number().optional() })
    .parse(JSON.parse(stdout));
  return { text: accessToken, expiresAt: (expires_on ?? 0) * 1000 || toExpiry(undefined) };
}

function readToken(text: string): Token {
  const { access_token, expires_in, expires_on } = tokenResponse.parse(tryParseJson(text));
  // The relative time takes precedence, because the server's clock may differ from this machine's.
  const isRelative = expires_in !== undefined || expires_on === undefined;
  return { text: access_token, expiresAt: isRelative ? toExpiry(expires_in) : expires_on * 1000 };
}
