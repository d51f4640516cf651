import { isOnMac, type KeyName, keyLabels } from "./keys.ts";

/** Shows the key that does what a button does; the button's name stays as it is. */
export function KeyHint({ keys }: { readonly keys: KeyName }) {
  return (
    <kbd className="key key-hint" aria-hidden>
      {keyLabels(keys, isOnMac()).join("+")}
    </kbd>
  );
}
