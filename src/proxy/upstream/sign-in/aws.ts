import { createHash, createHmac } from "node:crypto";
import { defaultProvider } from "@aws-sdk/credential-provider-node";
import { SignatureV4 } from "@smithy/signature-v4";
import { fetch } from "undici";
import type { BedrockPlatform } from "../../../config/proxy/config.ts";
import { createServerClock, type ServerClock } from "./server-clock.ts";
import type { SignIn, UnsignedRequest } from "./sign-in.ts";
import { createRenewed, TIMEOUT_MS } from "./token-cache.ts";

interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** Temporary credentials of a role. */
interface RoleCredentials extends Credentials {
  readonly expiresAt: number;
}

/** Exceptions for credentials that have expired or are no longer valid. */
const EXPIRED = /^(?:ExpiredToken|UnrecognizedClient|InvalidClientTokenId)/;
/**
 * Exceptions that a wrong clock can cause.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-troubleshooting.html
 */
const SKEWED = /^(?:InvalidSignature|SignatureDoesNotMatch|RequestTimeTooSkewed|RequestExpired)/;

/**
 * Creates the signer of an upstream (Signature Version 4). Credentials come from AWS's default credential provider
 * chain. If a role is configured, these credentials are used to assume it.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function createAwsSignIn({ region, profile, roleArn, stsUrl }: BedrockPlatform): SignIn {
  const clock = createServerClock();
  const chain = createChain(profile);
  const role =
    roleArn === undefined
      ? undefined
      : createRenewed(() => assumeRole({ roleArn, region, stsUrl, source: chain, clock }));
  const credentials = role === undefined ? chain.get : role.get;
  const signer = new SignatureV4({ service: "bedrock", region, credentials, sha256: Sha256 });
  return {
    sign: (request) => sign(signer, request, clock),
    renew({ headers }) {
      const name = headers["x-amzn-errortype"]?.toString() ?? "";
      if (SKEWED.test(name)) return clock.correct(headers.date);
      if (!EXPIRED.test(name)) return false;
      if (role === undefined) chain.refresh();
      else role.forget(() => true);
      return true;
    },
  };
}

interface Chain {
  readonly get: () => Promise<Credentials>;
  /** Makes the next call read the credentials again, although they have not expired. */
  readonly refresh: () => void;
}

/** Creates AWS's default credential provider chain, which renews credentials five minutes before they expire. */
function createChain(profile: string | undefined): Chain {
  const provider = defaultProvider(profile === undefined ? {} : { profile });
  let isRejected = false;
  return {
    get() {
      const options = { forceRefresh: isRejected };
      isRejected = false;
      return provider(options);
    },
    refresh() {
      isRejected = true;
    },
  };
}

async function sign(
  signer: SignatureV4,
  { method, url, headers, body }: UnsignedRequest,
  clock: ServerClock,
): Promise<string[]> {
  const request = {
    method,
    protocol: url.protocol,
    hostname: url.hostname,
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: { host: url.host, ...(headers["content-type"] && { "content-type": headers["content-type"] }) },
    body,
  };
  const { headers: signed } = await signer.sign(request, { signingDate: new Date(clock.now()) });
  return Object.entries(signed).flatMap(([name, value]) => {
    const isOwn = name === "host" || name === "content-type";
    return isOwn ? [] : [name, value];
  });
}

/** Computes SHA-256 for the signer, or HMAC-SHA-256 if a secret is given. */
class Sha256 {
  private readonly hash;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.hash = secret === undefined ? createHash("sha256") : createHmac("sha256", toBytes(secret));
  }

  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.hash.update(toBytes(data));
  }

  async digest(): Promise<Uint8Array> {
    return this.hash.digest();
  }

  reset(): void {}
}

function toBytes(data: string | ArrayBuffer | ArrayBufferView): Buffer {
  if (typeof data === "string") return Buffer.from(data);
  return ArrayBuffer.isView(data)
    ? Buffer.from(data.buffer, data.byteOffset, data.byteLength)
    : Buffer.from(data);
}

interface Role {
  readonly roleArn: string;
  readonly region: string;
  readonly stsUrl: string;
  readonly source: Chain;
  readonly clock: ServerClock;
}

/**
 * Assumes a role with the credentials of `source`. If AWS rejects the request because of a wrong clock or expired
 * credentials, sends it once more with the server's time or new credentials.
 * https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html
 */
async function assumeRole(role: Role, mayRepeat = true): Promise<RoleCredentials> {
  const { roleArn, region, stsUrl, source, clock } = role;
  const url = new URL(stsUrl);
  const body = new URLSearchParams({
    Action: "AssumeRole",
    Version: "2011-06-15",
    RoleArn: roleArn,
    RoleSessionName: "sallyport",
  }).toString();
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const signer = new SignatureV4({ service: "sts", region, credentials: source.get, sha256: Sha256 });
  const request = { method: "POST", url, headers, body: Buffer.from(body) };
  const signed = await sign(signer, request, clock);
  const pairs = signed.flatMap((name, index) => (index % 2 === 0 ? [[name, signed[index + 1] ?? ""]] : []));
  const response = await fetch(url, {
    method: "POST",
    headers: { ...headers, ...Object.fromEntries(pairs) },
    body,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const text = await response.text();
  const member = (name: string) => new RegExp(`<${name}>([^<]+)</${name}>`).exec(text)?.[1] ?? "";
  if (response.ok)
    return {
      accessKeyId: member("AccessKeyId"),
      secretAccessKey: member("SecretAccessKey"),
      sessionToken: member("SessionToken"),
      expiresAt: Date.parse(member("Expiration")) - clock.now() + Date.now(),
    };
  const code = member("Code");
  const isExpired = EXPIRED.test(code);
  if (isExpired) source.refresh();
  const isSkewed = SKEWED.test(code) && clock.correct(response.headers.get("date"));
  if (mayRepeat && (isExpired || isSkewed)) return assumeRole(role, false);
  throw new Error(`AWS rejected the role ${roleArn}: ${member("Message") || `status ${response.status}`}`);
}
