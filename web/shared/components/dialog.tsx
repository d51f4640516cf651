import { X } from "lucide-react";
import { type ReactNode, useId, useLayoutEffect, useRef } from "react";
import { classNames } from "../../../src/render/class-names.ts";
import { IconButton } from "./button.tsx";
import { Toasts } from "./toast.tsx";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** Buttons, with the primary button last. */
  readonly footer?: ReactNode;
  readonly wide?: boolean;
  /** Makes the content focusable and gives it the initial focus, so that keys scroll it. */
  readonly onlyText?: boolean;
}

/**
 * Renders a modal `<dialog>`: focus stays inside, Escape closes it, and the focus returns afterward. The
 * dialog is open while the component is mounted. The initial focus is on `data-initial-focus`, or otherwise
 * on the dialog's text or title. It is never on a button, because the next typed key would press it.
 */
export function Dialog({ title, onClose, children, footer, wide = false, onlyText = false }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();

  // A layout effect opens the dialog in the same task that adds it to the page. If it opened later, a key pressed in
  // between, for example while a loaded dialog replaces the waiting one, would reach the page behind the dialog.
  useLayoutEffect(() => {
    const dialog = element.current;
    const before = document.activeElement;
    if (dialog && !dialog.open) dialog.showModal();
    const first = ["[data-initial-focus]", ".dialog-body[tabindex]", "h2"];
    first
      .map((name) => dialog?.querySelector<HTMLElement>(name))
      .find(Boolean)
      ?.focus();
    return () => {
      dialog?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);

  return (
    <dialog
      ref={element}
      className={classNames("dialog", wide && "dialog-wide")}
      aria-labelledby={titleId}
      onCancel={(event) => {
        // File pickers inside the dialog also dispatch `cancel`.
        if (event.target !== element.current) return;
        event.preventDefault();
        onClose();
      }}
    >
      <div className="dialog-head">
        <h2 id={titleId} tabIndex={-1}>
          {title}
        </h2>
        <IconButton label="Close" shortcut="Esc" onClick={onClose}>
          <X size={18} aria-hidden />
        </IconButton>
      </div>
      <div
        className="dialog-body"
        {...(onlyText && { tabIndex: 0, role: "group", "aria-labelledby": titleId })}
      >
        {children}
      </div>
      {footer !== undefined && <div className="dialog-foot">{footer}</div>}
      <Toasts dialog={titleId} />
    </dialog>
  );
}
