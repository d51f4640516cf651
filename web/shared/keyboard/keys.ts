/**
 * Identifies a key press: `c`, `?`, `Shift+ArrowDown`, `Mod+Enter`. Mod is Control or Command; `keyLabels` shows the
 * one that is usual on the system.
 */
export type KeyName = string;

/** The members of a keyboard event from which its name is derived. */
export interface KeyPress {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

/**
 * Returns the name of a key press. Includes Shift only for named keys and with another modifier: otherwise,
 * the typed character already shows it.
 */
export function keyName(press: KeyPress): KeyName {
  const key = press.key === " " ? "Space" : press.key;
  const parts: string[] = [];
  if (press.ctrlKey || press.metaKey) parts.push("Mod");
  if (press.altKey) parts.push("Alt");
  if (press.shiftKey && (key.length > 1 || parts.length > 0)) parts.push("Shift");
  parts.push(key.length === 1 && parts.length > 0 ? key.toLowerCase() : key);
  return parts.join("+");
}

/** Returns the character that a key press types; undefined for other keys and for commands with Ctrl, Cmd or Alt. */
export function printedBy(
  press: KeyPress & { getModifierState?(name: string): boolean },
): string | undefined {
  if ([...press.key].length !== 1) return undefined;
  const isThirdLevel = press.getModifierState?.("AltGraph") === true;
  if (isThirdLevel) return press.key;
  // On a Mac, Option types special characters; elsewhere Alt with a letter is a browser command.
  if (press.ctrlKey || press.metaKey || (press.altKey && /^[\x20-\x7e]$/.test(press.key))) return undefined;
  return press.key;
}

const SIGNS: Record<string, string> = {
  ArrowUp: "↑",
  ArrowDown: "↓",
  ArrowLeft: "←",
  ArrowRight: "→",
  Escape: "Esc",
};

/** Returns whether Command replaces Control, as on Apple systems. */
export function isOnMac(): boolean {
  return /Mac|iPhone|iPad/.test(navigator.platform);
}

/** Returns the labels of the keys for display. */
export function keyLabels(name: KeyName, isMac: boolean): string[] {
  return name
    .split(/\+(?=.)/)
    .map((part) => (part === "Mod" ? (isMac ? "⌘" : "Ctrl") : (SIGNS[part] ?? part)));
}
