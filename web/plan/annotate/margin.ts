import { type RefObject, useLayoutEffect, useSyncExternalStore } from "react";
import type { PlanAnchor } from "../../../src/review/api-types.ts";
import { useThreads } from "../../shared/threads/thread-store.ts";
import { targetBox } from "../dom/target.ts";
import { MAX_RENDERED_CARDS } from "../model/annotations.ts";
import { useReview } from "../state/review-store.ts";

/** Matches a window that is wide enough for a column of cards beside the text. */
const wide = typeof matchMedia === "undefined" ? undefined : matchMedia("(min-width: 80rem)");
/** Pixels between two cards. */
const GAP = 8;

const anchors = new WeakMap<Element, PlanAnchor>();

/** Returns the attributes of a card that stands beside its text on wide screens. */
export function beside(anchor: PlanAnchor | undefined) {
  if (!anchor) return {};
  return {
    "data-beside": true,
    ref: (element: HTMLElement | null) => {
      if (element) anchors.set(element, anchor);
    },
  };
}

function subscribe(onChange: () => void): () => void {
  wide?.addEventListener("change", onChange);
  return () => wide?.removeEventListener("change", onChange);
}

/**
 * Returns whether the cards stand beside their text: in a wide window, while the rendered plan is shown, and with at
 * most `MAX_RENDERED_CARDS` cards.
 */
export function useIsMargin(): boolean {
  const isWide = useSyncExternalStore(subscribe, () => wide?.matches ?? false);
  const threads = useThreads((state) => state.threads.length);
  const isPlanShown = useReview(
    ({ view, changesAs }) => view === "plan" || (view === "changes" && changesAs === "rendered"),
  );
  const isFew = useReview(
    ({ annotations, rounds }) =>
      annotations.length + (rounds.at(-1)?.decision?.annotations?.length ?? 0) + threads <=
      MAX_RENDERED_CARDS,
  );
  return isWide && isPlanShown && isFew;
}

/** Keeps the cards of the sidebar beside their text when the cards or the text change. */
export function useMargin(sidebar: RefObject<HTMLElement | null>, isMargin: boolean): void {
  useLayoutEffect(() => {
    const column = sidebar.current;
    if (!column || !isMargin) return undefined;
    let frame = 0;
    const layOut = () => positionCards(column);
    const soon = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(layOut);
    };
    const sizes = new ResizeObserver(soon);
    const observe = () => {
      sizes.disconnect();
      for (const element of column.querySelectorAll("[data-beside]")) sizes.observe(element);
      for (const element of document.querySelectorAll(".plan, .main")) sizes.observe(element);
    };
    const content = new MutationObserver(() => {
      observe();
      soon();
    });
    content.observe(column, { childList: true, subtree: true, attributes: true, attributeFilter: ["class"] });
    const plan = document.querySelector("#plan");
    if (plan) content.observe(plan, { childList: true, subtree: true });
    observe();
    layOut();
    return () => {
      cancelAnimationFrame(frame);
      sizes.disconnect();
      content.disconnect();
      column.style.minHeight = "";
      for (const card of column.querySelectorAll<HTMLElement>("[data-beside]")) card.style.top = "";
    };
  }, [sidebar, isMargin]);
}

function positionCards(column: HTMLElement): void {
  const root = document.querySelector(".plan");
  const start = column.querySelector<HTMLElement>(".margin-start");
  if (!root || !start) return;
  const plan = useReview.getState().document;
  const sheetTop = (root.parentElement ?? root).getBoundingClientRect().top;
  const origin = column.getBoundingClientRect().top;
  const cards = [...column.querySelectorAll<HTMLElement>("[data-beside]")]
    .flatMap((element) => {
      const anchor = anchors.get(element);
      const wanted = anchor && targetBox(root, plan, anchor).top + sheetTop - origin;
      return wanted === undefined ? [] : [{ element, wanted, height: element.offsetHeight }];
    })
    .sort((one, other) => one.wanted - other.wanted);
  const active = cards.findIndex(({ element }) => element.matches(".card-active, :has(.thread-card-active)"));
  const tops = stackCards(cards, { from: start.offsetTop, gap: GAP, active });
  for (const [index, { element }] of cards.entries()) element.style.top = `${tops[index]}px`;
  const last = cards.at(-1);
  column.style.minHeight = last ? `${(tops.at(-1) ?? 0) + last.height}px` : "";
}

/** The wanted position of a card, from the top of the column, and its height, in pixels. */
export interface CardBox {
  /** The top of the annotated text. */
  readonly wanted: number;
  readonly height: number;
}

export interface StackOptions {
  /** The first pixel of the column that a card may cover. */
  readonly from: number;
  readonly gap: number;
  /** Index of the active card, which stands beside its text if there is room; -1 if no card is active. */
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
