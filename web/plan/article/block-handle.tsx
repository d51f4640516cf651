import { MessageSquarePlus } from "lucide-react";
import { useLayoutEffect, useState } from "react";
import { blockElement } from "./text-points.ts";

interface BlockHandleProps {
  readonly root: React.RefObject<HTMLDivElement | null>;
  readonly block: number;
  readonly onOpen: (block: number) => void;
}

/** The sign beside the block under the pointer: a click marks the block as a whole. */
export function BlockHandle({ root, block, onOpen }: BlockHandleProps) {
  const [place, setPlace] = useState<{ readonly top: number }>();
  useLayoutEffect(() => {
    const element = root.current && blockElement(root.current, block);
    const sheet = root.current?.parentElement;
    if (!element || !sheet) return;
    const line = Number.parseFloat(getComputedStyle(element).lineHeight) || 24;
    const top = element.getBoundingClientRect().top - sheet.getBoundingClientRect().top;
    setPlace({ top: top + Math.max(0, (line - 28) / 2) });
  }, [root, block]);
  if (!place) return null;
  return (
    <button
      type="button"
      className="block-handle no-print"
      style={{ top: place.top }}
      tabIndex={-1}
      aria-label="Annotate this block"
      title="Annotate this block"
      onClick={() => onOpen(block)}
    >
      <MessageSquarePlus size={16} aria-hidden />
    </button>
  );
}
