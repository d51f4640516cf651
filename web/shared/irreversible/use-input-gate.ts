import { useEffect, useRef, useState } from "react";
import { delayLeft, type GateTimes } from "./input-gate.ts";
import { onPageFocus, pageFocusedAt } from "./page-focus.ts";

interface InputGate {
  /** Whether input counts now; renders again when that changes. */
  readonly isOpen: boolean;
  readonly times: () => GateTimes;
}

/** Follows since when a person can have meant the button that renders this. */
export function useInputGate(): InputGate {
  const shownAt = useRef<number>(undefined);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    shownAt.current = performance.now();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      clearTimeout(timer);
      const left = delayLeft({ focusedAt: pageFocusedAt(), shownAt: shownAt.current }, performance.now());
      setOpen(left === 0);
      if (left !== undefined && left > 0) timer = setTimeout(look, left + 1);
    };
    look();
    const stop = onPageFocus(look);
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, []);
  return { isOpen, times: () => ({ focusedAt: pageFocusedAt(), shownAt: shownAt.current }) };
}
