import { type ReactNode, useEffect, useEffectEvent, useId, useRef, useState } from "react";
import { Button } from "../components/button.tsx";
import { KeyHint } from "../keyboard/key-hint.tsx";
import { isOnMac, keyLabels } from "../keyboard/keys.ts";
import { acceptsClick, acceptsKey, delayLeft, type GateTimes, isDecidingKey } from "./input-gate.ts";
import { lastKeyAt, onPageFocus, pageFocusedAt } from "./page-focus.ts";

interface IrreversibleButtonProps {
  readonly children: ReactNode;
  readonly onPress: () => void;
  readonly variant?: "plain" | "primary" | "danger";
  /**
   * Makes Ctrl+Enter and Cmd+Enter press this button unless another irreversible button has the focus. At most one
   * button on the screen has `takesKey`.
   */
  readonly takesKey?: boolean;
  /** Whether the action is not possible now. */
  readonly disabled?: boolean;
}

/**
 * Renders a button whose action cannot be undone. Accepts Ctrl+Enter, Cmd+Enter, a pointer press that began on the
 * button, and clicks of assistive technology. Ignores Enter, Space, held keys, scripts, and any input right after the
 * page gained focus or the button appeared.
 */
export function IrreversibleButton(props: IrreversibleButtonProps) {
  const { children, onPress, variant = "plain", takesKey = false, disabled = false } = props;
  const { isOpen, times } = useInputGate();
  const button = useRef<HTMLButtonElement>(null);
  const pressedAt = useRef<number>(undefined);
  const [isHinted, setHinted] = useState(false);
  const hint = useId();
  const keys = keyLabels("Mod+Enter", isOnMac()).join("+");

  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (!button.current || event.defaultPrevented || event.isComposing || !isDecidingKey(event)) return;
    if (!isOnTop(button.current) || !isMeant(button.current, takesKey)) return;
    event.preventDefault();
    if (!disabled && acceptsKey(toPress(event), times())) onPress();
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKeyDown(event);
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, []);

  return (
    <span className="irreversible">
      <Button
        ref={button}
        variant={variant}
        data-irreversible
        aria-disabled={disabled || !isOpen}
        aria-describedby={hint}
        onPointerCancel={() => {
          pressedAt.current = undefined;
        }}
        onPointerDown={({ nativeEvent: { isTrusted, timeStamp } }) => {
          pressedAt.current = isTrusted ? timeStamp : undefined;
        }}
        onKeyDown={({ key, ctrlKey, metaKey }) =>
          setHinted((key === "Enter" || key === " ") && !ctrlKey && !metaKey)
        }
        onBlur={() => setHinted(false)}
        onClick={({ nativeEvent: { isTrusted, detail, timeStamp } }) => {
          const click = {
            isTrusted,
            detail,
            at: timeStamp,
            pressedAt: pressedAt.current,
            keyAt: lastKeyAt(),
          };
          pressedAt.current = undefined;
          if (!disabled && acceptsClick(click, times())) onPress();
        }}
      >
        {children}
        {takesKey && <KeyHint keys="Mod+Enter" />}
      </Button>
      <small id={hint} className={isHinted ? "irreversible-hint" : "visually-hidden"}>
        Press {keys}, or click. Enter and Space do not press this button.
      </small>
      <span className="visually-hidden" role="status">
        {isHinted && `Press ${keys}`}
      </span>
    </span>
  );
}

function toPress(event: KeyboardEvent) {
  const { key, ctrlKey, metaKey, altKey, shiftKey, repeat, isTrusted, timeStamp } = event;
  return { key, ctrlKey, metaKey, altKey, shiftKey, repeat, isTrusted, at: timeStamp };
}

/** Returns whether no dialog or menu covers the button. */
function isOnTop(button: HTMLElement): boolean {
  if (document.querySelector("[popover]:popover-open")) return false;
  const top = [...document.querySelectorAll("dialog[open]")].at(-1);
  return top === undefined || top.contains(button);
}

/**
 * Returns whether the key is for this button. It is for the focused irreversible button, or for the one with
 * `takesKey` if none has the focus.
 */
function isMeant(button: HTMLElement, takesKey: boolean): boolean {
  const focused = document.activeElement?.closest("[data-irreversible]");
  return focused ? focused === button : takesKey;
}

interface InputGate {
  /** Whether input is accepted now. The component renders again when this changes. */
  readonly isOpen: boolean;
  readonly times: () => GateTimes;
}

/** Tracks when the button accepts input. */
function useInputGate(): InputGate {
  const shownAt = useRef<number>(undefined);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    shownAt.current = performance.now();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      clearTimeout(timer);
      const left = delayLeft({ focusedAt: pageFocusedAt(), shownAt: shownAt.current }, performance.now());
      setOpen(left === 0);
      if (left !== undefined && left > 0) timer = setTimeout(look, left + 1);
    };
    look();
    const stop = onPageFocus(look);
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, []);
  return { isOpen, times: () => ({ focusedAt: pageFocusedAt(), shownAt: shownAt.current }) };
}
