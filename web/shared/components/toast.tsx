import { X } from "lucide-react";
import { useEffect, useState } from "react";
import { create } from "zustand";
import { classNames } from "../../../src/render/class-names.ts";
import { Button, IconButton } from "./button.tsx";

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly tone: "plain" | "danger";
  readonly action?: { readonly label: string; readonly run: () => void };
}

interface ToastState {
  readonly toasts: readonly Toast[];
  /** The text that assistive technology announces and the page does not show. */
  readonly announcement: string;
  /** Open dialogs. Content behind the newest modal dialog is inert. */
  readonly dialogs: readonly string[];
}

const useToasts = create<ToastState>(() => ({ toasts: [], announcement: "", dialogs: [] }));
let lastId = 0;

/**
 * Shows a message at the bottom of the page for 4 s, or for 10 s if it has an action or reports an error. At
 * most three messages are shown.
 */
export function showToast(text: string, options: Partial<Pick<Toast, "tone" | "action">> = {}): void {
  lastId += 1;
  const toast: Toast = { id: lastId, text, tone: "plain", ...options };
  useToasts.setState(({ toasts }) => ({ toasts: [...toasts, toast].slice(-3) }));
}

/** Announces a visible change to assistive technology. */
export function announce(text: string): void {
  // A repeated text would not change the live region, so it would not be announced.
  useToasts.setState(({ announcement }) => ({
    announcement: announcement === text ? `${text}\u00a0` : text,
  }));
}

const dismiss = (id: number) =>
  useToasts.setState(({ toasts }) => ({ toasts: toasts.filter((toast) => toast.id !== id) }));

/** Removes all toasts. Called after a decision, when their undo actions are no longer possible. */
export function dismissAll(): void {
  useToasts.setState({ toasts: [] });
}

/**
 * Renders toasts and the polite live region: once per page, and in each modal dialog with the dialog's id. Toasts from
 * before a dialog opened are hidden until it closes, so that they do not cover its buttons.
 */
export function Toasts({ dialog }: { readonly dialog?: string }) {
  const { toasts, announcement, dialogs } = useToasts();
  const [before] = useState(() => (dialog === undefined ? 0 : lastId));
  useEffect(() => {
    if (dialog === undefined) return undefined;
    useToasts.setState((state) => ({ dialogs: [...state.dialogs, dialog] }));
    return () =>
      useToasts.setState((state) => ({ dialogs: state.dialogs.filter((open) => open !== dialog) }));
  }, [dialog]);
  if (dialogs.at(-1) !== dialog) return null;
  return (
    <>
      <div className="visually-hidden" role="status">
        {announcement}
      </div>
      <div className="toasts no-print" role="status" aria-label="Messages">
        {toasts
          .filter(({ id }) => id > before)
          .map((toast) => (
            <ToastLine key={toast.id} toast={toast} />
          ))}
      </div>
    </>
  );
}

function ToastLine({ toast }: { readonly toast: Toast }) {
  const { id, action, tone } = toast;
  useEffect(() => {
    const timer = setTimeout(() => dismiss(id), action || tone === "danger" ? 10_000 : 4_000);
    return () => clearTimeout(timer);
  }, [id, action, tone]);
  return (
    <div className={classNames("toast", tone === "danger" && "toast-danger")}>
      <span>{toast.text}</span>
      {action && (
        <Button
          small
          onClick={() => {
            dismiss(id);
            action.run();
          }}
        >
          {action.label}
        </Button>
      )}
      <IconButton small label="Dismiss" onClick={() => dismiss(id)}>
        <X size={15} aria-hidden />
      </IconButton>
    </div>
  );
}
