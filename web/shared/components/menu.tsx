import { type KeyboardEvent, type ReactNode, useId, useRef } from "react";

interface MenuProps {
  /** Content of the button that opens the menu. */
  readonly trigger: ReactNode;
  readonly label: string;
  readonly triggerClass?: string;
  readonly children: ReactNode;
}

/**
 * Renders a button with a menu as a popover, which the browser closes on Escape and outside clicks. Arrow keys, Home
 * and End move the focus; choosing an item closes the menu.
 */
export function Menu({ trigger, label, triggerClass = "button", children }: MenuProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);

  const position = () => {
    const box = button.current?.getBoundingClientRect();
    const element = menu.current;
    if (!box || !element) return;
    const width = element.offsetWidth;
    const left = Math.min(Math.max(8, box.right - width), window.innerWidth - width - 8);
    const below = box.bottom + 4;
    const fits = below + element.offsetHeight <= window.innerHeight - 8;
    element.style.left = `${left}px`;
    element.style.top = `${fits ? below : Math.max(8, box.top - element.offsetHeight - 4)}px`;
  };

  return (
    <>
      <button
        ref={button}
        type="button"
        className={triggerClass}
        aria-label={label}
        title={label}
        aria-haspopup="menu"
        popoverTarget={id}
      >
        {trigger}
      </button>
      <div
        ref={menu}
        id={id}
        popover="auto"
        role="menu"
        aria-label={label}
        tabIndex={-1}
        className="menu"
        onToggle={(event) => {
          if (event.newState !== "open") return;
          position();
          listItems(menu.current)[0]?.focus();
        }}
        onKeyDown={(event) => moveWithin(event, menu.current)}
        onClick={(event) => {
          if (event.target instanceof Element && event.target.closest("[role^=menuitem]")) {
            menu.current?.hidePopover();
          }
        }}
      >
        {children}
      </div>
    </>
  );
}

interface MenuItemProps {
  readonly onSelect: () => void;
  readonly children: ReactNode;
  /** Whether the option is chosen; undefined for an item that is not an option of a choice. */
  readonly checked?: boolean;
}

/** Renders a menu item. With `checked`, the item is one option of a choice. */
export function MenuItem({ onSelect, children, checked }: MenuItemProps) {
  const shared = { type: "button", tabIndex: -1, className: "menu-item", onClick: onSelect } as const;
  if (checked === undefined) {
    return (
      <button {...shared} role="menuitem">
        {children}
      </button>
    );
  }
  return (
    <button {...shared} role="menuitemradio" aria-checked={checked}>
      {children}
    </button>
  );
}

function listItems(menu: HTMLElement | null): HTMLElement[] {
  return menu ? [...menu.querySelectorAll<HTMLElement>("[role^=menuitem]")] : [];
}

function moveWithin(event: KeyboardEvent, menu: HTMLElement | null): void {
  const items = listItems(menu);
  const at = items.indexOf(document.activeElement as HTMLElement);
  const target = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
  if (target === undefined) return;
  event.preventDefault();
  items[(target + items.length) % items.length]?.focus();
}
