/** The position and size of a card, in pixels from the top of the column. */
export interface CardBox {
  /** The top of the text that the card is about. */
  readonly wanted: number;
  readonly height: number;
}

export interface StackOptions {
  /** The first pixel that is free. */
  readonly from: number;
  readonly gap: number;
  /** Index of the card that stands exactly beside its text, if there is room; the others make way. */
  readonly active: number;
}

/** Returns the top of each card: beside its text, or as near as the cards before and after it allow. Pure. */
export function stackCards(cards: readonly CardBox[], { from, gap, active }: StackOptions): number[] {
  const tops: number[] = [];
  let free = from;
  for (const { wanted, height } of cards) {
    const top = Math.max(wanted, free);
    tops.push(top);
    free = top + height + gap;
  }
  const chosen = cards[active];
  if (!chosen || tops[active] === chosen.wanted) return tops;
  const needed = cards.slice(0, active).reduce((sum, { height }) => sum + height + gap, from);
  tops[active] = Math.max(chosen.wanted, needed);
  for (let index = active - 1; index >= 0; index--) {
    const below = tops[index + 1] ?? 0;
    tops[index] = Math.min(tops[index] ?? 0, below - gap - (cards[index]?.height ?? 0));
  }
  for (let index = active + 1; index < cards.length; index++) {
    const above = (tops[index - 1] ?? 0) + (cards[index - 1]?.height ?? 0) + gap;
    tops[index] = Math.max(cards[index]?.wanted ?? 0, above);
  }
  return tops;
}
