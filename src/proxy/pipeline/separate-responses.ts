import { setTimeout as delay } from "node:timers/promises";
import type { UpstreamConfig } from "../../config/proxy/config.ts";
import type { ResponseProfile } from "../exchange/dialect-profile.ts";
import type { Usage } from "../exchange/response.ts";
import { sumUsages } from "../exchange/usage.ts";
import type { Target } from "../routing/select-targets.ts";
import { partialUsage } from "../usage/estimate-usage.ts";
import { StreamWatch } from "../usage/stream-watch.ts";

/** Maximum milliseconds for which the responses are read to the end, to find their usage. */
const READ_OTHERS_MS = 500;

/** The usage of upstream calls at a target. */
export interface TargetUsage extends Pick<Target, "upstream" | "model"> {
  readonly usage: Usage;
}

/**
 * The responses to several upstream calls, one for each candidate or image. Even if one of the calls fails or continues
 * at another target, the vendor charges for the others.
 */
export class SeparateResponses {
  private readonly bodies: ObservedBody[] = [];

  constructor(private readonly profile: ResponseProfile) {}

  /** Returns a body with the same bytes, whose usage is recorded while it is read. */
  observe(body: AsyncIterable<Buffer>, target: Target): AsyncIterable<Buffer> {
    const observed = new ObservedBody(body, this.profile, target);
    this.bodies.push(observed);
    return observed;
  }

  /** Returns whether a response is from an upstream other than this one. */
  isElsewhere(upstream: UpstreamConfig | undefined): boolean {
    return this.bodies.some(({ target }) => target.upstream !== upstream);
  }

  /** Reads the bodies until all of them are complete, for half a second at most. Never rejects. */
  async read(): Promise<void> {
    const all = Promise.all(this.bodies.map((body) => body.read()));
    await Promise.race([all, delay(READ_OTHERS_MS, undefined, { ref: false })]);
  }

  /**
   * Returns the usage of the responses so far, added up for each target. Estimates missing counts; `request` is the
   * client's JSON, from which input tokens are estimated.
   */
  usages(request: Buffer | undefined): readonly TargetUsage[] {
    const targets = new Map(this.bodies.map(({ target }) => [target.upstream, target]));
    return [...targets.values()].flatMap(({ upstream, model }) => {
      const bodies = this.bodies.filter(({ target }) => target.upstream === upstream);
      const usage = sumUsages(bodies.map((body) => body.usage(request)));
      return usage === undefined ? [] : [{ upstream, model, usage }];
    });
  }
}

/** A body that records its usage while it is read. */
class ObservedBody implements AsyncIterableIterator<Buffer> {
  private readonly chunks: AsyncIterator<Buffer>;
  private readonly watch: StreamWatch;
  private readonly ended: Promise<void>;
  private end = () => {};
  private isBegun = false;
  private isComplete = false;

  constructor(
    body: AsyncIterable<Buffer>,
    profile: ResponseProfile,
    readonly target: Target,
  ) {
    this.chunks = body[Symbol.asyncIterator]();
    this.watch = new StreamWatch(profile);
    this.ended = new Promise((resolve) => {
      this.end = resolve;
    });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Buffer>> {
    this.isBegun = true;
    try {
      const step = await this.chunks.next();
      if (step.done !== true) this.watch.push(step.value);
      else this.isComplete = true;
      if (this.isComplete) this.end();
      return step;
    } catch (error) {
      this.end();
      throw error;
    }
  }

  async return(): Promise<IteratorResult<Buffer>> {
    this.end();
    return (await this.chunks.return?.()) ?? { done: true, value: undefined };
  }

  /** Resolves when the body has ended. Reads it unless the translation already does. */
  async read(): Promise<void> {
    if (this.isBegun) return this.ended;
    try {
      for (let step = await this.next(); step.done !== true; ) step = await this.next();
    } catch {
      // The part that arrived is counted.
    }
  }

  usage(request: Buffer | undefined): Usage {
    const reported = this.watch.usage();
    return this.isComplete && reported !== undefined
      ? reported
      : partialUsage(reported, request, this.watch.sample);
  }
}
