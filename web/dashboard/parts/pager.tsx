import { type ReactNode, useState } from "react";
import { Button } from "../../shared/components/button.tsx";

/** The shown page of a list, and functions that open other pages. */
export interface Pages {
  /** Undefined for the newest page. */
  readonly cursor: string | undefined;
  readonly number: number;
  open(cursor: string): void;
  back(): void;
  reset(): void;
}

/** Returns the shown page of a list that begins with the newest entries. */
export function usePages(): Pages {
  const [cursors, setCursors] = useState<readonly string[]>([]);
  return {
    cursor: cursors.at(-1),
    number: cursors.length + 1,
    open: (cursor) => setCursors([...cursors, cursor]),
    back: () => setCursors(cursors.slice(0, -1)),
    reset: () => setCursors([]),
  };
}

interface PagerProps {
  readonly pages: Pages;
  /** The name of one entry, such as "call". */
  readonly what: string;
  /** Number of entries of this page. */
  readonly size: number;
  /** The cursor of the next page, null for none. */
  readonly next: string | null;
}

/** Renders the buttons that lead to newer and older entries. */
export function Pager({ pages, what, size, next }: PagerProps) {
  return (
    <nav className="pager" aria-label={`Pages of ${what}s`}>
      <PageButton isEnd={pages.number === 1} onClick={pages.back}>
        Newer
      </PageButton>
      <span className="secondary">
        Page {pages.number}, {size} {size === 1 ? what : `${what}s`}
      </span>
      <PageButton isEnd={next === null} onClick={() => next !== null && pages.open(next)}>
        Older
      </PageButton>
    </nav>
  );
}

interface PageButtonProps {
  /** Whether there is no further page in this direction. */
  readonly isEnd: boolean;
  readonly onClick: () => void;
  readonly children: ReactNode;
}

/**
 * Renders a button that leads to another page. At the end of the list, the button keeps the focus, which a disabled
 * button would lose.
 */
export function PageButton({ isEnd, onClick, children }: PageButtonProps) {
  return (
    <Button aria-disabled={isEnd} onClick={() => !isEnd && onClick()}>
      {children}
    </Button>
  );
}
