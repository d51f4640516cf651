import { create } from "zustand";

export type Theme = "system" | "light" | "dark";

/** The chosen theme; `resolved` is the theme in effect. */
export const useTheme = create<{ readonly theme: Theme; readonly resolved: "light" | "dark" }>(() => ({
  theme: "system",
  resolved: prefersDark().matches ? "dark" : "light",
}));

/** Applies a theme to the page. Does not store the theme. */
export function applyTheme(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
  useTheme.setState({ theme, resolved: resolve(theme) });
}

/** Updates the theme when the system's preference changes. */
export function watchSystemTheme(): void {
  prefersDark().addEventListener("change", () => {
    const { theme } = useTheme.getState();
    useTheme.setState({ resolved: resolve(theme) });
  });
}

function resolve(theme: Theme): "light" | "dark" {
  if (theme !== "system") return theme;
  return prefersDark().matches ? "dark" : "light";
}

function prefersDark(): MediaQueryList {
  return matchMedia("(prefers-color-scheme: dark)");
}
