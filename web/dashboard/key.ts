import { keyForm } from "../../src/render/dashboard/key-form.ts";
import { patch } from "./patch.ts";

const NAME = "sallyport-key";

/** Returns the API key stored for this tab. */
export function keptKey(): string | undefined {
  return sessionStorage.getItem(NAME) ?? undefined;
}

/**
 * Shows a key form in place of the dashboard. Resolves when a key was submitted, which is stored until the tab
 * closes.
 */
export function askForKey(container: HTMLElement, wasWrong: boolean): Promise<void> {
  sessionStorage.removeItem(NAME);
  patch(container, keyForm().text);
  const form = container.querySelector("form");
  const field = container.querySelector("input");
  const error = container.querySelector("#key-error");
  const button = container.querySelector("button");
  if (!form || !field || !button) return new Promise(() => {});
  if (error) error.textContent = wasWrong ? "That key is not valid for this proxy." : "";
  button.disabled = false;
  field.value = "";
  field.focus();
  return new Promise((resolve) => {
    form.addEventListener(
      "submit",
      (event) => {
        event.preventDefault();
        button.disabled = true;
        sessionStorage.setItem(NAME, field.value.trim());
        resolve();
      },
      { once: true },
    );
  });
}
