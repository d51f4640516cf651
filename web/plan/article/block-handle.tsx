import { MessageSquarePlus } from "lucide-react";
import { useLayoutEffect, useState } from "react";
import { middleOf, type Spot, spotElement } from "./spot.ts";

interface BlockHandleProps {
  readonly root: React.RefObject<HTMLDivElement | null>;
  readonly spot: Spot;
  readonly onOpen: (spot: Spot) => void;
}

/** The sign beside what is under the pointer: a click marks the block, or the line of code, as a whole. */
export function BlockHandle({ root, spot, onOpen }: BlockHandleProps) {
  const [top, setTop] = useState<number>();
  useLayoutEffect(() => {
    const element = root.current && spotElement(root.current, spot);
    const sheet = root.current?.parentElement;
    if (!element || !sheet) return;
    const offset = element.getBoundingClientRect().top - sheet.getBoundingClientRect().top;
    setTop(offset + middleOf(element, spot) - 14);
  }, [root, spot]);
  if (top === undefined) return null;
  const name = nameOf(spot);
  return (
    <button
      type="button"
      className="block-handle no-print"
      style={{ top }}
      tabIndex={-1}
      aria-label={name}
      title={name}
      onClick={() => onOpen(spot)}
    >
      <MessageSquarePlus size={16} aria-hidden />
    </button>
  );
}

function nameOf({ removed, line }: Spot): string {
  if (removed !== undefined) return "Annotate this removed text";
  return line === undefined ? "Annotate this block" : `Annotate line ${line + 1} of this code`;
}
