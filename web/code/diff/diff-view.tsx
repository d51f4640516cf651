import { type RefObject, useEffect, useLayoutEffect, useRef, useSyncExternalStore } from "react";
import { flushSync } from "react-dom";
import { thousands } from "../core/count.ts";
import { useCursor } from "../state/cursor.ts";
import { diffCommand } from "../state/diff-label.ts";
import { useSession } from "../state/session.ts";
import { useView } from "../state/view.ts";
import type { DiffController, Scene } from "./controller.ts";
import { followPointer } from "./drag-lines.ts";
import { FileSection } from "./file-section.tsx";
import { partKey } from "./layout-cache.ts";
import { SidewaysBar } from "./sideways-bar.tsx";

/**
 * Renders all files of the diff in one scroller. Only rows near the window are rendered, except for printing and for
 * the browser's search.
 */
export function DiffView({ controller }: { readonly controller: DiffController }) {
  const scroller = useRef<HTMLElement>(null);
  const scene = useSyncExternalStore(controller.subscribe, controller.scene);
  const layout = useView((view) => view.layout);
  const wrap = useView((view) => view.wrap);
  const tabWidth = useView((view) => view.tabWidth);
  const range = useCursor((state) => state.range);
  const cursor = useCursor((state) => state.cursor);
  useScroller(scroller, controller, layout);

  usePrinting(controller);

  return (
    <>
      <PrintNotice scene={scene} />
      <main
        ref={scroller}
        id="diff"
        className="diff"
        data-tab-width={tabWidth}
        tabIndex={-1}
        aria-label="Changes"
      >
        <div className="diff-content" style={{ height: scene.height }}>
          {scene.visible.map(({ order, from, to }) => {
            const body = scene.geometry.bodies[order];
            if (!body) return null;
            const { path } = body.file;
            return (
              <FileSection
                key={partKey(body.file)}
                controller={controller}
                body={body}
                from={from}
                to={to}
                top={scene.geometry.getTop(order) - scene.shift}
                layout={layout}
                wrap={wrap}
                range={range?.path === path ? range : undefined}
                cursor={cursor?.path === path ? cursor : undefined}
              />
            );
          })}
        </div>
      </main>
      {!wrap && <SidewaysBar scroller={scroller} controller={controller} />}
    </>
  );
}

/** Renders more rows for printing, because on screen only rows near the window are rendered. */
function usePrinting(controller: DiffController): void {
  useEffect(() => {
    const before = () => flushSync(() => controller.print(true));
    const after = () => controller.print(false);
    addEventListener("beforeprint", before);
    addEventListener("afterprint", after);
    return () => {
      removeEventListener("beforeprint", before);
      removeEventListener("afterprint", after);
    };
  }, [controller]);
}

/** Reports the scroller's size and position to the controller, and selects lines with the pointer. */
function useScroller(
  scroller: RefObject<HTMLElement | null>,
  controller: DiffController,
  layout: string,
): void {
  // Measures before the first paint, so that no row is laid out for another size.
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const measure = () =>
      controller.attach(element, { height: element.clientHeight, columns: columnsIn(element, layout) });
    // Renders synchronously, so that the browser never paints a position without its rows.
    const onScroll = () => flushSync(() => controller.scrolled(element.scrollTop));
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener("scroll", onScroll, { passive: true });
    const stopPointer = followPointer(element);
    measure();
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", onScroll);
      stopPointer();
    };
  }, [scroller, controller, layout]);
}

/** Returns the columns of code on a side, from the width of a digit in the code font. */
function columnsIn(element: HTMLElement, layout: string): number {
  const probe = document.createElement("span");
  probe.className = "column-probe";
  probe.textContent = "0".repeat(100);
  element.append(probe);
  const character = probe.getBoundingClientRect().width / 100;
  probe.remove();
  const style = getComputedStyle(element);
  const number = Number.parseFloat(style.getPropertyValue("--num-width"));
  const padding = Number.parseFloat(style.getPropertyValue("--code-padding"));
  const width = element.clientWidth;
  const side = layout === "split" ? width / 2 - number : width - number * 2;
  // Rounds down, because a line that barely fits may wrap, and too much space is better than too little.
  return Math.max(1, Math.floor((side - padding - 0.1) / character));
}

/** Renders a notice above a shortened printed diff, with the command that prints the whole diff, if there is one. */
function PrintNotice({ scene: { geometry, visible, printing } }: { readonly scene: Scene }) {
  const command = useSession(({ index }) => index && diffCommand(index));
  const last = visible.at(-1);
  if (!printing || !last) return null;
  const files = geometry.bodies.length;
  const isCut = last.to < (geometry.bodies[last.order]?.rows?.count ?? 0);
  if (visible.length === files && !isCut) return null;
  return (
    <p className="print-notice">
      This is the top of the diff: {thousands(visible.length)} of {thousands(files)} files
      {isCut && ", the last one cut off"}.{command && ` For the whole diff, run: ${command}`}
    </p>
  );
}
