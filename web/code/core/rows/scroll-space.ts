/**
 * Maximum height of the scroller in pixels, because browsers lose precision or stop rendering when an element
 * is taller than tens of millions of pixels. A taller diff is mapped onto the scroller: small movements one
 * to one, and jumps (scrollbar, End) proportionally. Near either end both positions converge.
 */
export const TALLEST_SCROLLER = 15_000_000;

export interface ScrollSpace {
  /** Height of the diff in pixels. */
  readonly total: number;
  /** Height of the visible part in pixels. */
  readonly viewport: number;
}

/** The scroller's position (`physical`) and the corresponding position in the diff (`virtual`). */
export interface ScrollPosition {
  readonly physical: number;
  readonly virtual: number;
}

/** Returns the height of the scroller's content. */
export function physicalHeight(space: ScrollSpace): number {
  return Math.min(space.total, TALLEST_SCROLLER);
}

/**
 * Returns the position after a scroll to `physical`. If the result's `physical` has another value, the
 * scroller must be set to that value.
 */
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

/** Returns the position that shows `virtual` at the top. */
export function positionFor(space: ScrollSpace, virtual: number): ScrollPosition {
  const wanted = clamp(virtual, 0, Math.max(0, space.total - space.viewport));
  if (space.total <= TALLEST_SCROLLER) return { physical: wanted, virtual: wanted };
  return { physical: wanted / ratio(space), virtual: wanted };
}

/** Returns virtual pixels per physical pixel for jumps. */
function ratio(space: ScrollSpace): number {
  return Math.max(1, (space.total - space.viewport) / (physicalHeight(space) - space.viewport));
}

/**
 * Maps a position proportionally near an end of the scroller that is not an end of the diff, because
 * scrolling would get stuck there.
 */
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
