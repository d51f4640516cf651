import { isOnMac, type KeyName, keyLabels } from "./keys.ts";

/** Renders the shortcut of a button without changing the button's accessible name. */
export function KeyHint({ keys }: { readonly keys: KeyName }) {
  return (
    <kbd className="key key-hint" aria-hidden>
      {keyLabels(keys, isOnMac()).join("+")}
    </kbd>
  );
}
