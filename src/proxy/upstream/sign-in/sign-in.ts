import type { IncomingHttpHeaders } from "node:http";
import type { UpstreamConfig } from "../../../config/proxy/config.ts";
import { AppError, getErrorMessage } from "../../../errors.ts";

/** A request as it is sent, before it is signed. */
export interface UnsignedRequest {
  readonly method: string;
  readonly url: URL;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** The response to a signed request that the platform has rejected. */
export interface Rejection {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** The headers that signed the request. */
  readonly signed: readonly string[];
}

/** Signs the requests of an upstream. */
export interface SignIn {
  /**
   * Resolves with the headers that sign a request: a flat list, names in lower case. Rejects if there are no
   * credentials or the sign-in fails.
   */
  sign(request: UnsignedRequest): Promise<readonly string[]>;
  /** Returns whether the request can now be signed differently: with new credentials, or with the server's time. */
  renew(rejection: Rejection): boolean;
}

/** The headers that sign a request, and the function to call if the platform rejects the request. */
export interface Signature {
  readonly headers: readonly string[];
  readonly renew: (rejection: Omit<Rejection, "signed">) => boolean;
}

/** The sign-ins by upstream, with their tokens. A reload of the configuration creates new sign-ins. */
const signIns = new WeakMap<UpstreamConfig, Promise<SignIn>>();

/** Returns whether requests to an upstream are signed: it is on a cloud platform and has no key. */
export function isSigned({ platform, keys, credentials }: UpstreamConfig): boolean {
  return platform !== undefined && keys.length === 0 && credentials === "config";
}

/**
 * Signs a request to an upstream of a cloud platform. Throws `upstream_unreachable` with the reason if it cannot be
 * signed, for example because there are no credentials.
 */
export async function signRequest(upstream: UpstreamConfig, request: UnsignedRequest): Promise<Signature> {
  const { name, platform } = upstream;
  try {
    const known = signIns.get(upstream) ?? createSignIn(platform);
    signIns.set(upstream, known);
    const signIn = await known;
    const headers = await signIn.sign(request);
    return { headers, renew: (rejection) => signIn.renew({ ...rejection, signed: headers }) };
  } catch (error) {
    const reason = getErrorMessage(error).replace(/\.$/, "");
    throw new AppError(
      "upstream_unreachable",
      `The proxy cannot sign in to the upstream ${name}: ${reason}. Check the credentials of the platform.`,
      { cause: error },
    );
  }
}

/** Creates the sign-in of a platform and loads the library that it requires. */
async function createSignIn(platform: UpstreamConfig["platform"]): Promise<SignIn> {
  switch (platform?.kind) {
    case "bedrock": {
      const { createAwsSignIn } = await import("./aws.ts");
      return createAwsSignIn(platform);
    }
    case "vertex": {
      const { createGoogleSignIn } = await import("./google.ts");
      return createGoogleSignIn(platform);
    }
    case "azure": {
      const { createEntraSignIn } = await import("./entra.ts");
      return createEntraSignIn(platform.entra);
    }
    default:
      return { sign: async () => [], renew: () => false };
  }
}
