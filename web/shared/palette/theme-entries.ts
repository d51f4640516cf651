import { saveSettings } from "../api/settings.ts";
import { applyTheme, type Theme, useTheme } from "../theme/theme.ts";
import type { PaletteEntry } from "./palette-entries.ts";

const THEMES: readonly { readonly theme: Theme; readonly label: string }[] = [
  { theme: "light", label: "Light theme" },
  { theme: "dark", label: "Dark theme" },
  { theme: "system", label: "System theme" },
];

/** Returns entries that choose another theme. */
export function themeEntries(): readonly PaletteEntry[] {
  return THEMES.filter(({ theme }) => theme !== useTheme.getState().theme).map(({ theme, label }) => ({
    label,
    run: () => {
      applyTheme(theme);
      void saveSettings({ theme });
    },
  }));
}
