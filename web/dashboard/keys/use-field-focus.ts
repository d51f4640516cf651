import { type RefObject, useEffect, useRef } from "react";

/**
 * Returns the reference of a group of fields. When a row of fields is added, its first field gets the focus; when a row
 * is removed, the button that adds rows gets the focus.
 */
export function useFieldFocus(rows: number): RefObject<HTMLFieldSetElement | null> {
  const group = useRef<HTMLFieldSetElement>(null);
  const before = useRef(rows);
  useEffect(() => {
    const change = rows - before.current;
    before.current = rows;
    if (change === 0) return;
    const selector =
      change > 0 ? ".form-row:last-of-type :is(input, select)" : ":scope > button:last-of-type";
    group.current?.querySelector<HTMLElement>(selector)?.focus();
  }, [rows]);
  return group;
}
