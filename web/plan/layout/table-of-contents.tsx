import { useEffect, useMemo, useRef, useState } from "react";
import { flushSync } from "react-dom";
import type { Heading, MarkdownDocument } from "../../../src/render/markdown/model.ts";
import type { PlanAnnotation } from "../../../src/review/api-types.ts";
import { findAnchorBlocks } from "../model/anchor.ts";
import { setView } from "../state/actions.ts";
import { useReview } from "../state/review-store.ts";

/** Lists the plan's headings of levels 1 to 4 with the number of annotations per section. Marks the current heading. */
export function TableOfContents() {
  const document = useReview((state) => state.document);
  const annotations = useReview((state) => state.annotations);
  const headings = useMemo(() => document.headings.filter(({ level }) => level <= 4), [document]);
  const current = useCurrentHeading(headings);
  const counts = useMemo(
    () => countsByHeading(headings, document, annotations),
    [document, annotations, headings],
  );
  const contents = useRef<HTMLElement>(null);
  useEffect(() => {
    const entry = current === undefined ? null : contents.current?.querySelector("[aria-current]");
    if (entry && contents.current && !isWithin(entry, contents.current))
      entry.scrollIntoView({ block: "nearest" });
  }, [current]);
  // An empty column keeps the plan centered.
  if (headings.length < 2) return <div className="contents" />;
  const top = headings.reduce((least, { level }) => Math.min(least, level), 6);
  return (
    <nav ref={contents} className="contents no-print" aria-label="Contents">
      <ol>
        {headings.map(({ id, level, text }) => (
          <li key={id} style={{ paddingLeft: `${(level - top) * 0.8}rem` }}>
            <a
              href={`#${id}`}
              aria-current={id === current ? "location" : undefined}
              onClick={() => flushSync(() => setView("plan"))}
            >
              <span>{text}</span>
              {counts.has(id) && <span className="badge">{counts.get(id)}</span>}
            </a>
          </li>
        ))}
      </ol>
    </nav>
  );
}

/**
 * Returns whether an entry is visible in the column. A visible entry is not scrolled into view, because in some
 * versions of Chromium the next Tab would then continue at that entry and skip the header.
 */
function isWithin(entry: Element, column: Element): boolean {
  const [inner, outer] = [entry.getBoundingClientRect(), column.getBoundingClientRect()];
  return inner.top >= outer.top && inner.bottom <= outer.bottom;
}

/** Counts annotations per section, by heading id. */
function countsByHeading(
  headings: readonly Heading[],
  document: MarkdownDocument,
  annotations: readonly PlanAnnotation[],
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { anchor } of annotations) {
    if (!anchor) continue;
    const block = findAnchorBlocks(document, anchor)[0] ?? 0;
    const heading = headings.findLast((entry) => entry.block <= block);
    if (heading) counts.set(heading.id, (counts.get(heading.id) ?? 0) + 1);
  }
  return counts;
}

/**
 * Returns the id of the last heading that begins in the top third of the window or above the window; without
 * one, of the first heading.
 */
function useCurrentHeading(headings: readonly Heading[]): string | undefined {
  const [current, setCurrent] = useState<string>();
  useEffect(() => {
    let frame = 0;
    const read = () => {
      frame = 0;
      const passed = headings.findLast(({ id }) => {
        const top = window.document.getElementById(id)?.getBoundingClientRect().top;
        return top !== undefined && top < window.innerHeight / 3;
      });
      setCurrent((passed ?? headings[0])?.id);
    };
    const onScroll = () => {
      frame ||= requestAnimationFrame(read);
    };
    read();
    addEventListener("scroll", onScroll, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener("scroll", onScroll);
    };
  }, [headings]);
  return current;
}
