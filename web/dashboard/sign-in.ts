import type { OwnKeyView } from "../../src/proxy/gateway/admin-api-types.ts";
import { keyForm } from "../../src/render/dashboard/key-form.ts";
import { ApiError, createApi, OWN_API } from "./data/api.ts";
import { patch } from "./live/patch.ts";

const INVALID = "That key is not valid for this proxy.";

export interface SignedIn {
  /**
   * The key, which is stored neither on disk nor in a cookie, because browsers send a cookie to every port of
   * the host.
   */
  readonly secret: string;
  readonly key: OwnKeyView;
}

/** Replaces the page with the form that asks for a key. Resolves when the proxy has accepted a key. */
export async function signIn(
  container: HTMLElement,
  { message = "", isOptional = false } = {},
): Promise<SignedIn> {
  patch(container, keyForm().text);
  const form = container.querySelector("form");
  const field = container.querySelector("input");
  const button = container.querySelector<HTMLButtonElement>("button.button-primary");
  const error = container.querySelector("#key-error");
  if (!form || !field || !button || !error) return new Promise(() => {});
  field.value = "";
  const cancel = container.querySelector<HTMLElement>("[data-action=cancel]");
  if (cancel && isOptional) {
    cancel.hidden = false;
    cancel.addEventListener("click", () => location.reload(), { once: true });
  }
  for (let text = message; ; ) {
    error.textContent = text;
    button.disabled = false;
    field.focus();
    await submitted(form);
    button.disabled = true;
    error.textContent = "";
    const outcome = await check(field.value.trim());
    if (typeof outcome !== "string") return outcome;
    field.select();
    text = outcome;
  }
}

function submitted(form: HTMLFormElement): Promise<void> {
  return new Promise((resolve) => {
    const listener = (event: Event) => {
      event.preventDefault();
      resolve();
    };
    form.addEventListener("submit", listener, { once: true });
  });
}

/** Maximum attempts, one per second, while the proxy opens the database that contains the keys. */
const MAX_ATTEMPTS = 10;

/** Resolves to the key of a secret, or to the reason why the secret is not accepted. */
async function check(secret: string, attempt = 1): Promise<SignedIn | string> {
  // A secret with other characters cannot be sent in a header.
  if (!/^[\x21-\x7e]+$/.test(secret)) return INVALID;
  try {
    const { key } = await createApi(OWN_API, secret, () => {}).get<{ key: OwnKeyView }>("/key");
    return { secret, key };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 401) return INVALID;
    if (error.status === 403) return "That key's role does not allow the dashboard.";
    if (error.status !== 503 || attempt === MAX_ATTEMPTS) return error.message;
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    return check(secret, attempt + 1);
  }
}
