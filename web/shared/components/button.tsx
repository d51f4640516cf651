import type { ButtonHTMLAttributes, ReactNode, Ref } from "react";
import { classNames } from "../../../src/render/class-names.ts";

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly variant?: "plain" | "primary" | "danger" | "quiet";
  readonly small?: boolean;
  readonly ref?: Ref<HTMLButtonElement>;
}

/** Renders a button. `type="button"` keeps the button from submitting a form. */
export function Button({ variant = "plain", small = false, className, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={classNames(
        "button",
        variant !== "plain" && `button-${variant}`,
        small && "button-small",
        className,
      )}
    />
  );
}

interface IconButtonProps extends Omit<ButtonProps, "children"> {
  /** The accessible name, also shown as the tooltip. */
  readonly label: string;
  /** The shortcut shown in the tooltip. */
  readonly shortcut?: string;
  readonly children: ReactNode;
}

/** Renders a button that shows only an icon; `label` is its accessible name. */
export function IconButton({ label, shortcut, variant = "quiet", className, ...rest }: IconButtonProps) {
  return (
    <Button
      {...rest}
      variant={variant}
      aria-label={label}
      title={shortcut ? `${label} (${shortcut})` : label}
      className={classNames("button-icon", className)}
    />
  );
}
