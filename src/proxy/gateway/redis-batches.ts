import type { Subject } from "../../config/proxy/limits.ts";
import type { RedisConnection } from "./redis-connection.ts";
import type { Script } from "./redis-limits.ts";

/** Maximum operations of one script: while it runs, Redis serves no other replica. */
const MAX_OPERATIONS = 100;

/** One operation of the script. */
export interface Operation {
  /** Its members except `subjects` and `meta` as JSON, without the closing brace; there is at least one. */
  readonly members: string;
  readonly subjects: readonly Subject[];
  /** The metadata of a reservation's call. */
  readonly meta: string | undefined;
  /** Whether the operation fails if Redis does not respond in time. Redis may still execute it later. */
  readonly hasTimeLimit: boolean;
  /** Receives the script's result. */
  readonly resolve: (result: readonly number[]) => void;
  readonly reject: (error: Error) => void;
}

export interface BatchOptions {
  readonly script: Script;
  /** Returns a subject as JSON. */
  readonly formatSubject: (subject: Subject) => string;
  /** Receives the number of replicas and the lapsed reservations, as JSON, after each batch. */
  readonly onResult: (replicas: number, lost: readonly string[]) => void;
}

/**
 * Runs operations in Redis, in order. The operations of one turn of the event loop, and those that are added before the
 * response to the previous batch arrives, are sent together as one script, so that a busy proxy needs fewer writes
 * and reads per call. A decision does not wait for a batch that only ends reservations.
 */
export class RedisBatches {
  private waiting: Operation[] = [];
  /** The number of batches without a response, and whether one decides about calls, so that later batches wait. */
  private inFlight = 0;
  private isDeciding = false;
  private isScheduled = false;
  private readonly sendScheduled = () => {
    this.isScheduled = false;
    this.sendNext();
  };

  constructor(
    private readonly redis: RedisConnection,
    private readonly options: BatchOptions,
  ) {}

  /**
   * Runs an operation. The operation fails if Redis is unreachable, and, with `hasTimeLimit`, if Redis does not
   * respond in time.
   */
  add(operation: Operation): void {
    this.waiting.push(operation);
    if (this.isScheduled || this.isDeciding || (this.inFlight > 0 && !operation.hasTimeLimit)) return;
    this.isScheduled = true;
    setImmediate(this.sendScheduled);
  }

  private sendNext(): void {
    if (this.waiting.length === 0 || this.isDeciding) return;
    const operations =
      this.waiting.length > MAX_OPERATIONS ? this.waiting.splice(0, MAX_OPERATIONS) : this.waiting;
    if (operations === this.waiting) this.waiting = [];
    const decides = operations.some(({ hasTimeLimit }) => hasTimeLimit);
    this.inFlight += 1;
    this.isDeciding = decides;
    let isOver = false;
    const end = () => {
      if (isOver) return;
      isOver = true;
      this.inFlight -= 1;
      if (decides) this.isDeciding = false;
      this.sendNext();
    };
    const onSilence = () => {
      for (const { hasTimeLimit, reject } of operations)
        if (hasTimeLimit) reject(new Error("Redis does not respond"));
      end();
    };
    this.redis.runOnce(this.options.script, this.format(operations), onSilence).then(
      (reply) => {
        // Settles before `end`, so that operations that follow from the results join the next batch.
        this.settle(operations, reply as BatchResult);
        end();
      },
      (error: Error) => {
        for (const { reject } of operations) reject(error);
        end();
      },
    );
  }

  /** Returns the script's parameters: subjects and operations as JSON, then the metadata of calls. */
  private format(operations: readonly Operation[]): string[] {
    const parameters = [""];
    const indexes = new Map<Subject, number>();
    let subjects = "";
    let list = "";
    for (const operation of operations) {
      let own = "";
      for (const subject of operation.subjects) {
        let index = indexes.get(subject);
        if (index === undefined) {
          index = indexes.size + 1;
          indexes.set(subject, index);
          subjects += `${subjects === "" ? "" : ","}${this.options.formatSubject(subject)}`;
        }
        own += own === "" ? index : `,${index}`;
      }
      const { members, meta } = operation;
      const at = meta === undefined ? "" : `,"meta":${parameters.push(meta)}`;
      list += `${list === "" ? "" : ","}${members}${at},"subjects":[${own}]}`;
    }
    parameters[0] = `{"subjects":[${subjects}],"operations":[${list}]}`;
    return parameters;
  }

  private settle(operations: readonly Operation[], reply: BatchResult): void {
    for (let index = 0; index < operations.length; index += 1) {
      const { resolve, reject } = operations[index] as Operation;
      const result = reply[index + 2] as string | readonly number[];
      if (typeof result === "string") reject(new Error(result));
      else resolve(result);
    }
    this.options.onResult(reply[0], reply[1]);
  }
}

/** The number of replicas, the lapsed reservations, then each operation's result: a text if it has failed. */
type BatchResult = readonly [number, readonly string[], ...(string | readonly number[])[]];
