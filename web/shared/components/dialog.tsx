import { X } from "lucide-react";
import { type ReactNode, useEffect, useId, useRef } from "react";
import { classNames } from "../../../src/render/class-names.ts";
import { IconButton } from "./button.tsx";
import { Toasts } from "./toast.tsx";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** Buttons; the one that goes on comes last. */
  readonly footer?: ReactNode;
  readonly wide?: boolean;
  /** Nothing in it takes the focus, so that it does so itself, to be scrolled by keys. */
  readonly onlyText?: boolean;
}

/**
 * A modal on the browser's own dialog element: focus stays inside, Escape closes, and focus returns to where it
 * was. It is open for as long as it is rendered. What has `data-initial-focus` is focused first, else its text or its title: no
 * button, which the next key of a sentence would press.
 */
export function Dialog({ title, onClose, children, footer, wide = false, onlyText = false }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();

  useEffect(() => {
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
        // File pickers inside the dialog send a cancel of their own.
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
