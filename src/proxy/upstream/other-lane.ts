import type { UpstreamConfig } from "../../config/proxy-config.ts";

/** Serves a call at upstreams of its rule that are left, in whichever lane fits the first of them. */
export type GoOn = (upstreams: readonly UpstreamConfig[]) => void | Promise<void>;

/** Leaves a lane that has sent its client nothing yet: what is left to be asked speaks another dialect. */
export class OtherLane extends Error {
  readonly upstreams: readonly UpstreamConfig[];

  constructor(upstreams: readonly UpstreamConfig[]) {
    super("what is left to be asked speaks another dialect");
    this.upstreams = upstreams;
  }
}
