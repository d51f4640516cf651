/**
 * Browsers lose precision, or stop, when an element grows past about tens of millions of pixels. The scroller is
 * therefore never higher than a cap, and a taller diff is mapped onto it: small movements go one to one, leaps
 * (the scrollbar, End) go by proportion, and near either end the two are brought together again.
 */
export const TALLEST_SCROLLER = 15_000_000;

export interface ScrollSpace {
  /** Height of the whole diff in pixels. */
  readonly total: number;
  /** Height of the visible part. */
  readonly viewport: number;
}

/** Where the scroller stands (`physical`), and which position of the diff that means (`virtual`). */
export interface ScrollPosition {
  readonly physical: number;
  readonly virtual: number;
}

/** The height to give the scroller's content. */
export function physicalHeight(space: ScrollSpace): number {
  return Math.min(space.total, TALLEST_SCROLLER);
}

/** The position after the scroller has moved to `physical`. When the result names another, the scroller must follow. */
export function positionAfterScroll(
  space: ScrollSpace,
  before: ScrollPosition,
  physical: number,
): ScrollPosition {
  if (space.total <= TALLEST_SCROLLER) return { physical, virtual: physical };
  const moved = physical - before.physical;
  const leap = Math.abs(moved) > space.viewport * 4;
  const virtual = leap ? physical * ratio(space) : before.virtual + moved;
  return settled(space, physical, virtual);
}

/** The position that shows `virtual` at the top. */
export function positionFor(space: ScrollSpace, virtual: number): ScrollPosition {
  const wanted = clamp(virtual, 0, Math.max(0, space.total - space.viewport));
  if (space.total <= TALLEST_SCROLLER) return { physical: wanted, virtual: wanted };
  return { physical: wanted / ratio(space), virtual: wanted };
}

/** Virtual pixels to one physical pixel when leaping. */
function ratio(space: ScrollSpace): number {
  return Math.max(1, (space.total - space.viewport) / (physicalHeight(space) - space.viewport));
}

/** Near a physical end that is not the virtual one there would be no way on: go by proportion there. */
function settled(space: ScrollSpace, physical: number, virtual: number): ScrollPosition {
  const last = physicalHeight(space) - space.viewport;
  const margin = space.viewport * 8;
  const kept = clamp(virtual, 0, space.total - space.viewport);
  const nearStart = physical < margin && kept > physical;
  const nearEnd = physical > last - margin && space.total - space.viewport - kept > last - physical;
  if (nearStart || nearEnd || kept !== virtual) return positionFor(space, kept);
  return { physical, virtual: kept };
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}
