import { Dialog } from "../components/dialog.tsx";
import { isOnMac, keyLabels } from "./keys.ts";
import type { Shortcut } from "./shortcuts.ts";

interface ShortcutSheetProps {
  readonly shortcuts: readonly Pick<Shortcut, "keys" | "label" | "group">[];
  readonly onClose: () => void;
}

/** Renders the `?` sheet: all shortcuts of the page by group, in the given order. */
export function ShortcutSheet({ shortcuts, onClose }: ShortcutSheetProps) {
  const isMac = isOnMac();
  const groups = [...new Set(shortcuts.map(({ group }) => group))];
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose} wide onlyText>
      <div className="shortcuts">
        {groups.map((group) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl>
              {shortcuts
                .filter((shortcut) => shortcut.group === group)
                .map(({ keys, label }) => (
                  <ShortcutLine key={label} label={label} labels={keyLabels(keys[0] ?? "", isMac)} />
                ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}

function ShortcutLine({ label, labels }: { readonly label: string; readonly labels: readonly string[] }) {
  return (
    <>
      <dt>{label}</dt>
      <dd>
        {labels.map((part) => (
          <kbd key={part} className="key">
            {part}
          </kbd>
        ))}
      </dd>
    </>
  );
}
