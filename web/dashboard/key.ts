import { keyForm } from "../../src/render/dashboard/key-form.ts";
import { patch } from "./patch.ts";

const NAME = "sallyport-key";

/** The key that was given in this tab. */
export function keptKey(): string | undefined {
  return sessionStorage.getItem(NAME) ?? undefined;
}

/** Asks for a key where the dashboard would be; resolves when one was given. It is kept until the tab is closed. */
export function askForKey(place: HTMLElement, wasWrong: boolean): Promise<void> {
  sessionStorage.removeItem(NAME);
  patch(place, keyForm().text);
  const form = place.querySelector("form");
  const field = place.querySelector("input");
  const fault = place.querySelector("#key-fault");
  const button = place.querySelector("button");
  if (!form || !field || !button) return new Promise(() => {});
  if (fault) fault.textContent = wasWrong ? "That key is not valid for this proxy." : "";
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
