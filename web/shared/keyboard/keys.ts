/** What identifies a key press: `c`, `?`, `Shift+ArrowDown`, `Mod+Enter` (Mod is Command on a Mac, else Control). */
export type KeyName = string;

/** The parts of a keyboard event that matter here. */
export interface KeyPress {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

/** The name of a key press. Shift is named only where the key itself does not show it (letters and signs do). */
export function keyName(press: KeyPress): KeyName {
  const key = press.key === " " ? "Space" : press.key;
  const parts: string[] = [];
  if (press.ctrlKey || press.metaKey) parts.push("Mod");
  if (press.altKey) parts.push("Alt");
  if (press.shiftKey && (key.length > 1 || parts.length > 0)) parts.push("Shift");
  parts.push(key.length === 1 && parts.length > 0 ? key.toLowerCase() : key);
  return parts.join("+");
}

/** Returns the character that a key press types, or undefined for keys that type none and for commands with Ctrl or Cmd. */
export function printedBy(
  press: KeyPress & { getModifierState?(name: string): boolean },
): string | undefined {
  if ([...press.key].length !== 1) return undefined;
  const isThirdLevel = press.getModifierState?.("AltGraph") === true;
  if (isThirdLevel) return press.key;
  // Option types signs on a Mac; elsewhere Alt with a letter is a command of the browser.
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

/** Whether Command does here what Control does elsewhere. */
export function isOnMac(): boolean {
  return /Mac|iPhone|iPad/.test(navigator.platform);
}

/** How the keys are written for a person. */
export function keyLabels(name: KeyName, isMac: boolean): string[] {
  return name
    .split(/\+(?=.)/)
    .map((part) => (part === "Mod" ? (isMac ? "⌘" : "Ctrl") : (SIGNS[part] ?? part)));
}
