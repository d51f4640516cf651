/**
 * Returns the data that a saved page has stored in the browser; undefined if there is no valid data or storage is
 * disabled.
 */
export function readStored<Stored>(
  key: string,
  isValid: (stored: Partial<Stored>) => boolean,
): Stored | undefined {
  try {
    const stored = JSON.parse(localStorage.getItem(key) ?? "null") as Stored | null;
    return stored !== null && isValid(stored) ? stored : undefined;
  } catch {
    // Some browsers disable storage for local files. The page warns before it is left with unsaved comments.
    return undefined;
  }
}

/** Stores the state of a saved page in the browser, if storage is enabled and has room. */
export function writeStored(key: string, state: object): void {
  try {
    localStorage.setItem(key, JSON.stringify(state));
  } catch {
    // Storage is disabled or full.
  }
}
