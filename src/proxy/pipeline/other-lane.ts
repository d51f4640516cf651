import type { Places } from "../routing/select-targets.ts";

/** Serves a call at places of its rule that are left, in whichever lane fits the first of them. */
export type GoOn = (places: Places) => void | Promise<void>;

/** Leaves a lane that has sent its client nothing yet: what is left to be asked takes the call in another form. */
export class OtherLane extends Error {
  readonly places: Places;

  constructor(places: Places) {
    super("what is left to be asked takes the call in another form");
    this.places = places;
  }
}
