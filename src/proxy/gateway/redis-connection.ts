import type { Script } from "./redis-limits.ts";

/** A connection to Redis that reconnects automatically. */
export interface RedisConnection {
  /**
   * Whether commands can be sent. Also false while Redis is silent: after a command has timed out, until a reply
   * arrives.
   */
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
  /** Calls `listener` now if Redis is ready, after each connection, and when Redis responds again. */
  onConnect(listener: () => void): void;
  close(): void;
}

/** Number of ticks after which a command times out: 1 to 1.25 s. */
const COMMAND_TICKS = 5;
const TICK_MS = 250;
/** Milliseconds without traffic after which a connection is replaced. Cooldowns are read more often than this. */
const SILENCE_MS = 15_000;
const CONNECT_MS = 3_000;
const MAX_RETRY_MS = 2_000;

/**
 * Connects to Redis. Resolves after the first attempt, successful or not, and after 3 seconds at the latest. Calls
 * `onError` with the reason for a failure whenever the reason changes, and with undefined when Redis is ready again. No
 * reason contains the URL, because the URL can contain a password; each new connection uses the current password of
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
    // The timeout of @redis/client creates an AbortSignal for each command; `CommandClock` has one timer for all.
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
  const clock = new CommandClock();
  const send = (parts: readonly string[], onSilence: () => void) =>
    new Promise<unknown>((resolve, reject) => {
      const command: OpenCommand = {
        ticks: 0,
        onEnd() {
          isSilent = true;
          fail("no response");
          onSilence();
        },
      };
      clock.open.add(command);
      clock.start();
      client.sendCommand([...parts]).then(
        (reply) => {
          // The command had timed out, so Redis responds again.
          if (!clock.open.delete(command) && isSilent) recover();
          resolve(reply);
        },
        (error: unknown) => {
          clock.open.delete(command);
          reject(error);
        },
      );
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
    close() {
      clock.stop();
      client.destroy();
    },
  };
}

function getCredentials(url: string) {
  const { username, password } = new URL(url);
  return {
    ...(username !== "" && { username: decodeURIComponent(username) }),
    ...(password !== "" && { password: decodeURIComponent(password) }),
  };
}

/** A command without a response. */
interface OpenCommand {
  ticks: number;
  /** Called once if the command has no response in time. */
  onEnd(): void;
}

/**
 * Limits the time of commands. One timer counts for all of them, because a timer for each is expensive. Each tick is
 * counted in its own turn of the event loop, so that a busy process reads the replies that have arrived before a
 * command times out.
 */
class CommandClock {
  readonly open = new Set<OpenCommand>();
  private timer: NodeJS.Timeout | undefined;

  /** Counts until no command is open. */
  start(): void {
    this.timer ??= setInterval(() => this.tick(), TICK_MS);
  }

  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private tick(): void {
    if (this.open.size === 0) this.stop();
    for (const command of this.open) {
      command.ticks += 1;
      if (command.ticks < COMMAND_TICKS) continue;
      this.open.delete(command);
      command.onEnd();
    }
  }
}
