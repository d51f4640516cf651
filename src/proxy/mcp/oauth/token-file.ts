import { unlink } from "node:fs/promises";
import { z } from "zod";
import { readJson, writeDurably } from "../../../files/durable-file.ts";
import { withFileLock } from "../../../files/file-lock.ts";

/**
 * The sign-in to one MCP server: the tokens, the client to which they were issued, and the authorization server.
 * Credentials are sent to no other authorization server.
 */
const schema = z.object({
  /** The server's URL at the time of the sign-in. */
  server: z.string(),
  authorization_server: z.string(),
  metadata: z.record(z.string(), z.unknown()).optional(),
  /** The resource for which the tokens were issued (RFC 8707). */
  resource: z.string().optional(),
  client: z.object({ client_id: z.string(), client_secret: z.string().optional() }).loose(),
  access_token: z.string(),
  refresh_token: z.string().optional(),
  /** Milliseconds since 1970. */
  expires_at: z.number().optional(),
  scope: z.string().optional(),
});

export type SignIn = z.infer<typeof schema>;

/** Returns the sign-in of a file; undefined if there is none for this server's URL. */
export async function readSignIn(file: string, server: string): Promise<SignIn | undefined> {
  const { data } = schema.safeParse(await readJson(file));
  return data?.server === server ? data : undefined;
}

/** Writes a sign-in to a file of mode 0600. */
export function writeSignIn(file: string, signIn: SignIn): Promise<void> {
  return writeDurably(file, `${JSON.stringify(signIn, null, 2)}\n`);
}

/** Deletes the file of a sign-in. Returns whether the file has been deleted. */
export async function deleteSignIn(file: string): Promise<boolean> {
  return unlink(file).then(
    () => true,
    () => false,
  );
}

/** Runs a task while no other process changes the file, because a refresh token can often be used only once. */
export function withSignIn<Result>(file: string, task: () => Promise<Result>): Promise<Result> {
  return withFileLock(`${file}.lock`, task, 40_000);
}

export interface IssuedTokens {
  readonly access_token: string;
  readonly refresh_token?: string | undefined;
  readonly expires_in?: number | undefined;
  readonly scope?: string | undefined;
}

/** Returns the sign-in with new tokens. Keeps the refresh token if no new one was issued. */
export function withTokens<Known extends Omit<SignIn, "access_token">>(
  known: Known,
  { access_token, refresh_token, expires_in, scope }: IssuedTokens,
  now: number = Date.now(),
): Known & SignIn {
  return {
    ...known,
    access_token,
    refresh_token: refresh_token ?? known.refresh_token,
    expires_at: expires_in === undefined ? undefined : now + expires_in * 1000,
    scope: scope ?? known.scope,
  };
}
