import { Tag } from "lucide-react";
import { Button } from "../../shared/components/button.tsx";
import { Menu, MenuItem } from "../../shared/components/menu.tsx";
import type { Target } from "../article/target.ts";
import { addAtOnce, startNote } from "../state/actions.ts";
import { quickLabels, typeNames } from "./annotations.ts";
import { TypeIcon } from "./type-icon.tsx";

/** Kinds of notes and their keys, in the order of the toolbar. */
export const noteKeys = [
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

/** What can be done with the selected text or block; stands above it. */
export function SelectionToolbar({ target, onDone }: SelectionToolbarProps) {
  const { anchor, left, top } = target;
  const done = () => {
    onDone();
    getSelection()?.removeAllRanges();
  };
  return (
    <div
      className="selection-toolbar no-print"
      role="toolbar"
      aria-label="Annotate the selection"
      style={{ top, "--left": `${left}px` } as React.CSSProperties}
      onPointerDown={(event) => event.preventDefault()}
    >
      {noteKeys.map(({ type, key }) => (
        <Button
          key={type}
          small
          variant="quiet"
          title={`${typeNames[type]} (${key})`}
          onClick={() => {
            if (type === "delete") addAtOnce("delete", anchor);
            else startNote(type, anchor);
            done();
          }}
        >
          <TypeIcon type={type} /> <span>{type === "insert" ? "Insert" : typeNames[type]}</span>
        </Button>
      ))}
      <LabelMenu
        onChoose={(label) => {
          addAtOnce("label", anchor, label);
          done();
        }}
      />
    </div>
  );
}

function LabelMenu({ onChoose }: { readonly onChoose: (label: string) => void }) {
  return (
    <Menu
      label="Quick label (l)"
      triggerClass="button button-quiet button-small button-icon quick-label"
      trigger={<Tag size={15} aria-hidden />}
    >
      {quickLabels.map((label) => (
        <MenuItem key={label} onSelect={() => onChoose(label)}>
          {label}
        </MenuItem>
      ))}
    </Menu>
  );
}
