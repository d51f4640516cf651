import { CircleQuestionMark, Tag } from "lucide-react";
import { useState } from "react";
import { classNames } from "../../../src/render/class-names.ts";
import { useAsk } from "../../shared/ask/ask-store.ts";
import { Button, IconButton } from "../../shared/components/button.tsx";
import { isTouched } from "../../shared/selection/last-pointer.ts";
import type { Target } from "../dom/target.ts";
import { typeNames } from "../model/annotations.ts";
import { addAtOnce, openLabels, startAnnotation } from "../state/actions.ts";
import { askAbout } from "./ask-about.ts";
import { TypeIcon } from "./type-icon.tsx";

/** Annotation types and their keys, in toolbar order. */
const annotationKeys = [
  { type: "comment", key: "c" },
  { type: "replace", key: "r" },
  { type: "insert", key: "i" },
  { type: "delete", key: "d" },
  { type: "concern", key: "!" },
] as const;

interface SelectionToolbarProps {
  readonly target: Target;
  readonly onDone: () => void;
}

/** Shows the actions for the selected text or block above it, or below it after a touch. */
export function SelectionToolbar({ target, onDone }: SelectionToolbarProps) {
  const { anchor, left, top, bottom } = target;
  // After a touch, the system shows its own toolbar above the selection.
  const [isBelow] = useState(isTouched);
  const canAsk = useAsk(({ model }) => model !== undefined);
  const done = () => {
    onDone();
    getSelection()?.removeAllRanges();
  };
  return (
    <div
      className={classNames("selection-toolbar no-print", isBelow && "selection-toolbar-below")}
      role="toolbar"
      aria-label="Annotate the selection"
      style={{ top: isBelow ? bottom : top, "--left": `${left}px` } as React.CSSProperties}
      onPointerDown={(event) => event.preventDefault()}
    >
      {annotationKeys
        // Removed text cannot be marked for removal again.
        .filter(({ type }) => type !== "delete" || !anchor.removed)
        .map(({ type, key }) => (
          <Button
            key={type}
            small
            variant="quiet"
            title={`${typeNames[type]} (${key})`}
            onClick={() => {
              if (type === "delete") addAtOnce("delete", anchor);
              else startAnnotation(type, anchor);
              done();
            }}
          >
            <TypeIcon type={type} /> <span>{type === "insert" ? "Insert" : typeNames[type]}</span>
          </Button>
        ))}
      {canAsk && (
        <IconButton
          small
          label="Ask"
          shortcut="q"
          onClick={() => {
            askAbout(anchor);
            done();
          }}
        >
          <CircleQuestionMark size={15} aria-hidden />
        </IconButton>
      )}
      <IconButton
        small
        label="Quick label"
        shortcut="l"
        className="quick-label"
        aria-haspopup="menu"
        onClick={() => {
          openLabels(anchor);
          done();
        }}
      >
        <Tag size={15} aria-hidden />
      </IconButton>
    </div>
  );
}
