import { Monitor, Moon, Sun } from "lucide-react";
import { Menu, MenuItem } from "../components/menu.tsx";
import { applyTheme, type Theme, useTheme } from "./theme.ts";

const CHOICES = [
  { theme: "system", label: "System", Icon: Monitor },
  { theme: "light", label: "Light", Icon: Sun },
  { theme: "dark", label: "Dark", Icon: Moon },
] as const;

/** Renders the choice of the light, dark or system theme. Applies the chosen theme, and passes it to `onChange`. */
export function ThemeToggle({ onChange }: { readonly onChange: (theme: Theme) => void }) {
  const { theme, resolved } = useTheme();
  const Icon = resolved === "dark" ? Moon : Sun;
  return (
    <Menu
      label="Theme"
      triggerClass="button button-quiet button-icon"
      trigger={<Icon size={17} aria-hidden />}
    >
      {CHOICES.map((choice) => (
        <MenuItem
          key={choice.theme}
          checked={choice.theme === theme}
          onSelect={() => {
            applyTheme(choice.theme);
            onChange(choice.theme);
          }}
        >
          <choice.Icon size={16} aria-hidden /> {choice.label}
          {choice.theme === theme && <span className="key">now</span>}
        </MenuItem>
      ))}
    </Menu>
  );
}
