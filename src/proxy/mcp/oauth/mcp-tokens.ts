import { AppError, getErrorMessage } from "../../../errors.ts";
import type { HttpServer } from "../as-upstream.ts";
import type { Fetch } from "./pool-fetch.ts";
import { readSignIn, type SignIn, withSignIn, withTokens, writeSignIn } from "./token-file.ts";

/** Milliseconds before its expiry at which a token is refreshed. */
const EARLY_MS = 60_000;

/** The failed write of refreshed tokens; `cause` is its error. */
class LostTokens extends Error {}

/** Returns the access tokens of MCP servers that need a sign-in, and refreshes them. */
export class McpTokens {
  /** The last sign-in of each file, for redaction. */
  private readonly known = new Map<string, SignIn>();
  /** The values of `authorization` that servers have rejected. */
  private readonly rejected = new Set<string>();
  private readonly refreshing = new Map<string, Promise<SignIn>>();

  constructor(private readonly fetch: Fetch) {}

  /**
   * Returns the value of `authorization` for a server; undefined if the server needs no sign-in. `rejected` is the
   * value that the server has rejected, if any. Throws `upstream_error` if no sign-in is stored. Throws if the tokens
   * are no longer valid and cannot be refreshed, and if refreshed tokens cannot be stored.
   */
  async authorization(
    name: string,
    { url, oauth }: HttpServer,
    rejected?: string,
  ): Promise<string | undefined> {
    if (oauth === undefined) return undefined;
    const found = await readSignIn(oauth.file, url);
    if (found === undefined) throw signInNeeded(name, "none is stored");
    const isRejected = rejected === toHeader(found) || this.rejected.delete(toHeader(found));
    this.known.set(oauth.file, found);
    const { expires_at: end = Number.POSITIVE_INFINITY } = found;
    if (!isRejected && end - EARLY_MS >= Date.now()) return toHeader(found);
    try {
      const refreshed = await this.refresh(name, oauth.file, found);
      this.known.set(oauth.file, refreshed);
      return toHeader(refreshed);
    } catch (error) {
      // The authorization server can have revoked the stored tokens when it issued the lost ones.
      if (error instanceof LostTokens) throw error.cause;
      // The authorization server or the file's lock may be unavailable for a short time.
      if (isRejected || end <= Date.now()) throw error;
      return toHeader(found);
    }
  }

  /** Makes the next call refresh a token that the server has rejected. */
  reject({ oauth }: HttpServer, authorization: string | undefined): void {
    if (oauth !== undefined && authorization !== undefined) this.rejected.add(authorization);
  }

  /** Replaces tokens and client secrets of 8 characters or more in a text with `[redacted]`. */
  redact(text: string): string {
    let redacted = text;
    for (const { access_token, refresh_token, client } of this.known.values())
      for (const secret of [access_token, refresh_token, client.client_secret])
        if (secret !== undefined && secret.length >= 8) redacted = redacted.replaceAll(secret, "[redacted]");
    return redacted;
  }

  /** Refreshes the tokens of a file, once for all calls and processes that need new tokens. */
  private refresh(name: string, file: string, expired: SignIn): Promise<SignIn> {
    const running = this.refreshing.get(file);
    if (running !== undefined) return running;
    const task = withSignIn(file, async () => {
      const current = await readSignIn(file, expired.server);
      // Another process has refreshed the tokens.
      if (current !== undefined && current.access_token !== expired.access_token) return current;
      if (expired.refresh_token === undefined)
        throw signInNeeded(name, "the access token is no longer valid, and there is no refresh token");
      const refreshed = await this.exchange(name, expired, expired.refresh_token);
      await writeSignIn(file, refreshed).catch((cause) => {
        throw new LostTokens("The refreshed tokens cannot be stored", { cause });
      });
      return refreshed;
    }).finally(() => this.refreshing.delete(file));
    this.refreshing.set(file, task);
    return task;
  }

  private async exchange(name: string, known: SignIn, refreshToken: string): Promise<SignIn> {
    const { refreshAuthorization } = await import("@modelcontextprotocol/sdk/client/auth.js");
    try {
      const tokens = await refreshAuthorization(known.authorization_server, {
        metadata: known.metadata as Parameters<typeof refreshAuthorization>[1]["metadata"],
        clientInformation: known.client,
        refreshToken,
        ...(known.resource !== undefined && { resource: known.resource }),
        fetchFn: this.fetch,
      });
      return withTokens(known, tokens);
    } catch (error) {
      throw signInNeeded(
        name,
        `the access token could not be refreshed (${this.redact(getErrorMessage(error))})`,
      );
    }
  }
}

function toHeader({ access_token }: SignIn): string {
  return `Bearer ${access_token}`;
}

function signInNeeded(name: string, why: string): AppError {
  return new AppError(
    "upstream_error",
    `The MCP server ${name} needs a sign-in: ${why}. Run: sallyport proxy mcp login ${name}`,
  );
}
