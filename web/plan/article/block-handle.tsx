import { MessageSquarePlus } from "lucide-react";
import { useLayoutEffect, useState } from "react";
import { type BlockPosition, measureMiddle, positionElement } from "./block-position.ts";

interface BlockHandleProps {
  readonly root: React.RefObject<HTMLDivElement | null>;
  readonly position: BlockPosition;
  readonly onOpen: (position: BlockPosition) => void;
}

/**
 * Renders the handle next to the block or code line under the pointer. A click on the handle selects the
 * whole block or line.
 */
export function BlockHandle({ root, position, onOpen }: BlockHandleProps) {
  const [top, setTop] = useState<number>();
  useLayoutEffect(() => {
    const element = root.current && positionElement(root.current, position);
    const sheet = root.current?.parentElement;
    if (!element || !sheet) return;
    const offset = element.getBoundingClientRect().top - sheet.getBoundingClientRect().top;
    setTop(offset + measureMiddle(element, position) - 14);
  }, [root, position]);
  if (top === undefined) return null;
  const name = formatName(position);
  return (
    <button
      type="button"
      className="block-handle no-print"
      style={{ top }}
      tabIndex={-1}
      aria-label={name}
      title={name}
      onClick={() => onOpen(position)}
    >
      <MessageSquarePlus size={16} aria-hidden />
    </button>
  );
}

function formatName({ removed, line }: BlockPosition): string {
  if (removed !== undefined) return "Annotate this removed text";
  return line === undefined ? "Annotate this block" : `Annotate line ${line + 1} of this code`;
}
