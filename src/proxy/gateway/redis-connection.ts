import type { Script } from "./redis-limits.ts";

/** A connection to Redis that reconnects by itself. */
export interface RedisConnection {
  /** Whether commands can be sent. */
  readonly isReady: boolean;
  /** Why commands cannot be sent, without the password; undefined if they can, or if it is not known. */
  readonly failure: string | undefined;
  /** Runs a script. Rejects at once without a connection, and if Redis does not respond in time. */
  run(script: Script, parameters: readonly string[]): Promise<unknown>;
  /** Calls `listener` after each connection. */
  onConnect(listener: () => void): void;
  close(): void;
}

/** Milliseconds that a command may take. */
const COMMAND_MS = 1_000;
const CONNECT_MS = 3_000;
const MAX_RETRY_MS = 2_000;

/**
 * Connects to Redis. Resolves after the first attempt, successful or not; `onError` receives each reason of a failure
 * once. The URL can contain a password, so no message repeats it; each new connection uses the one of `getUrl` then.
 */
export async function connectRedis(
  getUrl: () => string,
  onError: (reason: string | undefined) => void,
): Promise<RedisConnection> {
  const { createClient } = await import("@redis/client");
  const listeners: (() => void)[] = [];
  let reason: string | undefined;
  const url = new URL(getUrl());
  url.username = "";
  url.password = "";
  const client = createClient({
    url: url.href,
    credentialsProvider: {
      type: "async-credentials-provider",
      credentials: async () => getCredentials(getUrl()),
    },
    disableOfflineQueue: true,
    socket: {
      connectTimeout: CONNECT_MS,
      reconnectStrategy: (retries) => Math.min(50 * 2 ** Math.min(retries, 10), MAX_RETRY_MS),
    },
  });
  client.on("error", (error: Error & { code?: string }) => {
    const found = error.code ?? error.message;
    if (found !== reason) onError(found);
    reason = found;
  });
  client.on("ready", () => {
    if (reason !== undefined) onError(undefined);
    reason = undefined;
    for (const listener of listeners) listener();
  });
  const connecting = client.connect().catch(() => {});
  await Promise.race([
    connecting,
    new Promise((resolve) => client.once("error", resolve)),
    new Promise((resolve) => setTimeout(resolve, CONNECT_MS).unref()),
  ]);
  const send = (parts: readonly string[]) => withTimeout(client.sendCommand([...parts]));
  return {
    get isReady() {
      return client.isReady;
    },
    get failure() {
      return reason;
    },
    async run({ text, sha1 }, parameters) {
      try {
        return await send(["EVALSHA", sha1, "0", ...parameters]);
      } catch (error) {
        if (!(error instanceof Error) || !error.message.startsWith("NOSCRIPT")) throw error;
        return send(["EVAL", text, "0", ...parameters]);
      }
    },
    onConnect(listener) {
      listeners.push(listener);
      if (client.isReady) listener();
    },
    close: () => client.destroy(),
  };
}

function getCredentials(url: string) {
  const { username, password } = new URL(url);
  return {
    ...(username !== "" && { username: decodeURIComponent(username) }),
    ...(password !== "" && { password: decodeURIComponent(password) }),
  };
}

async function withTimeout<Value>(task: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("Redis does not respond")), COMMAND_MS);
  });
  return Promise.race([task, timeout]).finally(() => clearTimeout(timer));
}
