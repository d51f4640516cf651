import type { Theme } from "../shared/theme/theme.ts";

const KEY = "sallyport-theme";

/**
 * Stores the theme in the browser, if storage is enabled and has room: the inbox has a stable address, unlike the
 * review pages.
 */
export function keepTheme(theme: Theme): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // Storage is disabled or full.
  }
}

/** Returns the stored theme; undefined if there is none, so that the system's theme applies. */
export function keptTheme(): Theme | undefined {
  try {
    const theme = localStorage.getItem(KEY);
    return theme === "light" || theme === "dark" ? theme : undefined;
  } catch {
    // Storage is disabled.
    return undefined;
  }
}
