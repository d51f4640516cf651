import { applyTheme, type Theme } from "../shared/theme/theme.ts";

const NAME = "sallyport-theme";

/** Stores the theme in the browser: the inbox has a stable address, unlike the review pages. */
export function keepTheme(theme: Theme): void {
  localStorage.setItem(NAME, theme);
}

/** Applies the stored theme; the system's without one. */
export function applyKeptTheme(): void {
  const theme = localStorage.getItem(NAME);
  if (theme === "light" || theme === "dark") applyTheme(theme);
}
