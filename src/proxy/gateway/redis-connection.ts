import type { Script } from "./redis-limits.ts";

/** A connection to Redis that reconnects by itself. */
export interface RedisConnection {
  /** Whether commands can be sent. False while Redis is silent: after a command has timed out, until a reply arrives. */
  readonly isReady: boolean;
  /**
   * The reason why commands cannot be sent, without the password; undefined if they can, or if the reason is unknown.
   */
  readonly failure: string | undefined;
  /** Runs a script. Rejects immediately while `isReady` is false, and if Redis does not respond in time. */
  run(script: Script, parameters: readonly string[]): Promise<unknown>;
  /**
   * Runs a script as `run` does, but waits for its response until the connection ends, because running the script
   * again would count usage twice. Calls `onSilence` if Redis does not respond in time.
   */
  runOnce(script: Script, parameters: readonly string[], onSilence?: () => void): Promise<unknown>;
  /** Calls `listener` after each connection, and when Redis responds again. */
  onConnect(listener: () => void): void;
  close(): void;
}

/** Time limit of a command in milliseconds, and the number of timers that count it. */
const COMMAND_MS = 1_000;
const COMMAND_PARTS = 4;
/** Milliseconds without traffic after which a connection is replaced. Cooldowns are read more often than this. */
const SILENCE_MS = 15_000;
const CONNECT_MS = 3_000;
const MAX_RETRY_MS = 2_000;

/**
 * Connects to Redis. Resolves after the first attempt, successful or not; `onError` receives each reason of a failure
 * once. The URL can contain a password, so no message repeats it; each new connection uses the current password of
 * `getUrl`.
 */
export async function connectRedis(
  getUrl: () => string,
  onError: (reason: string | undefined) => void,
): Promise<RedisConnection> {
  const { createClient } = await import("@redis/client");
  const listeners: (() => void)[] = [];
  let reason: string | undefined;
  let isSilent = false;
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
    // The client's limit creates an AbortSignal for each command; `countTime` counts whole replies.
    commandOptions: { timeout: 0 },
    socket: {
      connectTimeout: CONNECT_MS,
      socketTimeout: SILENCE_MS,
      reconnectStrategy: (retries) => Math.min(50 * 2 ** Math.min(retries, 10), MAX_RETRY_MS),
    },
  });
  const fail = (found: string) => {
    if (found !== reason) onError(found);
    reason = found;
  };
  const recover = () => {
    isSilent = false;
    if (reason !== undefined) onError(undefined);
    reason = undefined;
    for (const listener of listeners) listener();
  };
  client.on("error", (error: Error & { code?: string }) => fail(error.code ?? error.message));
  client.on("ready", recover);
  const connecting = client.connect().catch(() => {});
  await Promise.race([
    connecting,
    new Promise((resolve) => client.once("error", resolve)),
    new Promise((resolve) => setTimeout(resolve, CONNECT_MS).unref()),
  ]);
  const send = (parts: readonly string[], onSilence: () => void) =>
    new Promise<unknown>((resolve, reject) => {
      const reply = client.sendCommand([...parts]);
      const stopCounting = countTime(() => {
        isSilent = true;
        fail("no response");
        reply.then(
          () => isSilent && recover(),
          () => {},
        );
        onSilence();
      });
      reply.finally(stopCounting).then(resolve, reject);
    });
  const isReady = () => client.isReady && !isSilent;
  const runOnce = async ({ text, sha1 }: Script, parameters: readonly string[], onSilence = () => {}) => {
    if (!isReady()) throw new Error("Redis is unreachable");
    try {
      return await send(["EVALSHA", sha1, "0", ...parameters], onSilence);
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith("NOSCRIPT")) throw error;
      return send(["EVAL", text, "0", ...parameters], onSilence);
    }
  };
  return {
    get isReady() {
      return isReady();
    },
    get failure() {
      return reason;
    },
    run: (script, parameters) =>
      new Promise((resolve, reject) => {
        const onSilence = () => reject(new Error("Redis does not respond"));
        runOnce(script, parameters, onSilence).then(resolve, reject);
      }),
    runOnce,
    onConnect(listener) {
      listeners.push(listener);
      if (isReady()) listener();
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

/**
 * Calls `onEnd` after `COMMAND_MS`, unless the returned function is called first. Each part is counted in a later turn of
 * the event loop, so that a busy process reads the replies that have arrived before it gives up.
 */
function countTime(onEnd: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const count = (left: number) => {
    if (left === 0) onEnd();
    else timer = setTimeout(count, COMMAND_MS / COMMAND_PARTS, left - 1);
  };
  count(COMMAND_PARTS);
  return () => clearTimeout(timer);
}
