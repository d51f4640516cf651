import { type ReactNode, useEffect, useRef, useState } from "react";
import { TABLE_SCROLL } from "../../../src/render/markdown/model.ts";

/** What a table lies in. Where the table is wider, it takes the focus, so that keys can scroll it, and says what it is. */
export function TableScroll({ children }: { readonly children: ReactNode }) {
  const element = useRef<HTMLDivElement>(null);
  const [isWider, setIsWider] = useState(false);
  useEffect(() => {
    const place = element.current;
    if (!place) return undefined;
    const observer = new ResizeObserver(() => setIsWider(place.scrollWidth > place.clientWidth));
    observer.observe(place);
    if (place.firstElementChild) observer.observe(place.firstElementChild);
    return () => observer.disconnect();
  }, []);
  const focusable = isWider ? { tabIndex: 0, role: "group", "aria-label": "Table, wider than the page" } : {};
  return (
    <div ref={element} className={TABLE_SCROLL} {...focusable}>
      {children}
    </div>
  );
}
