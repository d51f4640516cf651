import type { ButtonHTMLAttributes, ReactNode, Ref } from "react";
import { classNames } from "../../../src/render/class-names.ts";

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly variant?: "plain" | "primary" | "danger" | "quiet";
  readonly small?: boolean;
  readonly ref?: Ref<HTMLButtonElement>;
}

/** A button; `plain` unless said otherwise. Never submits a form by accident. */
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
  /** Says what the button does, for assistive technology and as its tooltip. */
  readonly label: string;
  /** The key that does the same, for the tooltip. */
  readonly shortcut?: string;
  readonly children: ReactNode;
}

/** A button that shows an icon alone; `label` names it. */
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
