import { createHash, createHmac } from "node:crypto";
import { encodeStreamMessage } from "../../../../src/proxy/upstream/platforms/event-stream.ts";
import type { Hit } from "../../../support/fake-upstream.ts";

/** Credentials that a stand-in accepts. */
export interface AwsKey {
  readonly id: string;
  readonly secret: string;
  readonly token?: string;
}

const sha256 = (data: string | Buffer) => createHash("sha256").update(data).digest("hex");
const hmac = (key: string | Buffer, data: string) => createHmac("sha256", key).update(data).digest();

/**
 * Returns the reason for which AWS would reject the signature of a request; undefined if the signature is valid.
 * Implements the specification independently of the library that signs requests.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function findSignatureProblem(
  hit: Hit,
  key: AwsKey,
  service: string,
  region = "eu-west-3",
): string | undefined {
  const { authorization = "" } = hit.headers;
  const match =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      authorization,
    );
  if (match === null) return `no signature: ${authorization}`;
  const [, id, date = "", signedRegion, signedService, names = "", signature] = match;
  if (id !== key.id) return `key ${id}`;
  if (signedRegion !== region || signedService !== service) return `scope ${signedRegion} ${signedService}`;
  if ((hit.headers["x-amz-security-token"] ?? undefined) !== key.token) return "wrong session token";
  for (const name of ["host", "x-amz-date"])
    if (!names.split(";").includes(name)) return `${name} is not signed`;
  const [path = "", query = ""] = hit.url.split("?");
  const canonicalQuery = query
    .split("&")
    .filter((pair) => pair !== "")
    .sort()
    .join("&");
  const headers = names.split(";").map((name) => `${name}:${String(hit.headers[name]).trim()}\n`);
  const canonicalPath = path.split("/").map(encodeURIComponent).join("/");
  const request = [hit.method, canonicalPath, canonicalQuery, headers.join(""), names, sha256(hit.body)].join(
    "\n",
  );
  const scope = `${date}/${region}/${service}/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", hit.headers["x-amz-date"], scope, sha256(request)].join("\n");
  const signingKey = [date, region, service, "aws4_request"].reduce<string | Buffer>(
    hmac,
    `AWS4${key.secret}`,
  );
  const wanted = hmac(signingKey, text).toString("hex");
  return signature === wanted ? undefined : `signature ${signature}, not ${wanted}`;
}

/** Returns an event stream of InvokeModelWithResponseStream. */
export function invokeStream(events: readonly object[]): Buffer {
  return Buffer.concat(
    events.map((event) => {
      const bytes = Buffer.from(JSON.stringify(event)).toString("base64");
      return eventMessage("chunk", { bytes, p: "abcdef" });
    }),
  );
}

/** Returns an event stream of ConverseStream. */
export function converseStream(events: readonly (readonly [type: string, payload: object])[]): Buffer {
  return Buffer.concat(events.map(([type, payload]) => eventMessage(type, payload)));
}

function eventMessage(type: string, payload: object): Buffer {
  const headers = { ":event-type": type, ":content-type": "application/json", ":message-type": "event" };
  return encodeStreamMessage({ headers, payload: Buffer.from(JSON.stringify(payload)) });
}

/** Returns the message of an exception within a stream. */
export function exceptionMessage(type: string, message: string): Buffer {
  const headers = {
    ":exception-type": type,
    ":content-type": "application/json",
    ":message-type": "exception",
  };
  return encodeStreamMessage({ headers, payload: Buffer.from(JSON.stringify({ message })) });
}
