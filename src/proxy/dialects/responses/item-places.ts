import { createLossList } from "../../exchange/loss.ts";
import type { Part } from "../../exchange/parts.ts";
import { spreadCallSignatures, spreadTextSignatures } from "../../exchange/signature.ts";
import { hasItem } from "./encode-response.ts";

/**
 * Ids of output items are made of their response's id and their place in it (`itemId`), so that a client which sends
 * back only an `item_reference` can be understood by whoever kept the answer.
 */
export function placeOfItem(id: string): { readonly responseId: string; readonly place: number } | undefined {
  const match = /^(?:msg|rs|fc|ctc|ig|ws)_(.+)_(\d+)$/.exec(id);
  return match?.[1] === undefined ? undefined : { responseId: `resp_${match[1]}`, place: Number(match[2]) };
}

/** The parts of an answer that its item at a place holds: texts in a row are one message, as they are written. */
export function partsAtPlace(parts: readonly Part[], place: number): readonly Part[] {
  let at = -1;
  let isMessage = false;
  return spreadCallSignatures(spreadTextSignatures(parts, createLossList())).filter((part) => {
    const isSpoken = part.type === "text" || part.type === "refusal";
    if (isSpoken ? part.text === "" : !hasItem(part)) return false;
    if (!(isSpoken && isMessage)) at += 1;
    isMessage = isSpoken;
    return at === place;
  });
}
