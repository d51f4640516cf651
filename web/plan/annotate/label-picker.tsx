import { type KeyboardEvent, useEffect, useRef } from "react";
import { flushSync } from "react-dom";
import type { PlanAnchor } from "../../../src/review/api-types.ts";
import { printedBy } from "../../shared/keyboard/keys.ts";
import type { Box } from "../dom/target.ts";
import { quickLabels } from "../model/annotations.ts";
import { addAtOnce, closeLabels, startAnnotation } from "../state/actions.ts";

interface LabelPickerProps {
  readonly anchor: PlanAnchor;
  /** Position of the target text. Without a position, the list is laid out in the flow. */
  readonly box?: Box;
}

/**
 * Lists quick labels below their target. A label is chosen by pointer, by arrow keys and Enter, or by its
 * number.
 */
export function LabelPicker({ anchor, box }: LabelPickerProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    listItems(list.current)[0]?.focus({ preventScroll: true });
    list.current?.scrollIntoView({ block: "nearest" });
    const onPointerDown = ({ target }: Event) => {
      if (!(target instanceof Node && list.current?.contains(target))) closeLabels();
    };
    document.addEventListener("pointerdown", onPointerDown);
    return () => {
      document.removeEventListener("pointerdown", onPointerDown);
      if (document.activeElement === document.body && before instanceof HTMLElement) {
        before.focus({ preventScroll: true });
      }
    };
  }, []);

  const choose = (label: string) => {
    closeLabels();
    addAtOnce("label", anchor, label);
    getSelection()?.removeAllRanges();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    const items = listItems(list.current);
    const at = items.indexOf(document.activeElement as HTMLElement);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
    const numbered = quickLabels[Number(event.key) - 1];
    const printed = printedBy(event.nativeEvent);
    if (next !== undefined) items[(next + items.length) % items.length]?.focus();
    else if (numbered) choose(numbered);
    else if (event.key === "Escape" || event.key === "Tab") closeLabels();
    else if (printed !== undefined && printed !== " ") startComment(anchor, printed);
    else if (printed === undefined) return;
    event.preventDefault();
  };

  return (
    <div
      ref={list}
      className="label-picker no-print"
      role="menu"
      tabIndex={-1}
      aria-label="Quick label"
      style={box && ({ top: box.bottom + 8, "--left": `${box.left}px` } as React.CSSProperties)}
      onKeyDown={onKeyDown}
    >
      {quickLabels.map((label, index) => (
        <button
          key={label}
          type="button"
          role="menuitem"
          tabIndex={-1}
          className="menu-item"
          onClick={() => choose(label)}
        >
          {label} <kbd className="key">{index + 1}</kbd>
        </button>
      ))}
    </div>
  );
}

/** Replaces the list with a comment on the same text that begins with the typed character. */
function startComment(anchor: PlanAnchor, typed: string): void {
  flushSync(() => {
    closeLabels();
    startAnnotation("comment", anchor, typed);
  });
  const field = document.querySelector<HTMLTextAreaElement>(".composer textarea");
  field?.focus({ preventScroll: true });
  field?.setSelectionRange(field.value.length, field.value.length);
}

function listItems(list: HTMLElement | null): HTMLElement[] {
  return list ? [...list.querySelectorAll<HTMLElement>(".menu-item")] : [];
}
