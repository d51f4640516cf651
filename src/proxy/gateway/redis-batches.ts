import type { RedisConnection } from "./redis-connection.ts";
import type { Script } from "./redis-limits.ts";

/** Operations of one script: while it runs, Redis serves no other replica. */
const MAX_OPERATIONS = 100;

interface Operation {
  readonly request: string;
  /** Whether the operation fails if Redis does not respond in time. Redis may still execute it later. */
  readonly hasTimeLimit: boolean;
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** The results that do not belong to a single operation. */
interface BatchResult {
  readonly replicas: number;
  /** The expired reservations, as JSON. */
  readonly lost: readonly string[];
}

/**
 * Runs operations in Redis, in order. The first one is sent immediately. Operations that are added before its
 * response arrives are sent together, as one script, which saves most commands and responses when there are many
 * calls.
 */
export class RedisBatches {
  private waiting: Operation[] = [];
  private isSending = false;

  constructor(
    private readonly redis: RedisConnection,
    private readonly script: Script,
    private readonly onResult: (reply: BatchResult) => void,
  ) {}

  /**
   * Runs an operation, given as JSON. Rejects if Redis is unreachable, or, with `hasTimeLimit`, if it does not
   * respond.
   */
  run(request: string, hasTimeLimit: boolean): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ request, hasTimeLimit, resolve, reject });
      if (!this.isSending) this.sendNext();
    });
  }

  private sendNext(): void {
    const operations = this.waiting.splice(0, MAX_OPERATIONS);
    if (operations.length === 0) return;
    this.isSending = true;
    let isOver = false;
    const end = () => {
      if (isOver) return;
      isOver = true;
      this.isSending = false;
      this.sendNext();
    };
    const onSilence = () => {
      for (const { hasTimeLimit, reject } of operations)
        if (hasTimeLimit) reject(new Error("Redis does not respond"));
      end();
    };
    const request = `[${operations.map((operation) => operation.request).join(",")}]`;
    this.redis
      .runOnce(this.script, [request], onSilence)
      .then(
        (reply) => this.settle(operations, reply as readonly unknown[]),
        (error: Error) => {
          for (const { reject } of operations) reject(error);
        },
      )
      .finally(end);
  }

  private settle(operations: readonly Operation[], [replicas, lost, ...results]: readonly unknown[]): void {
    for (const [index, { resolve, reject }] of operations.entries()) {
      const result = results[index];
      if (typeof result === "string") reject(new Error(result));
      else resolve(result);
    }
    this.onResult({ replicas: Number(replicas), lost: lost as readonly string[] });
  }
}
