import type { ReviewEntry } from "../../src/review/api-types.ts";
import { repositoryName } from "../shared/repository-name.ts";
import { modeName, reviewAddress } from "./entries.ts";

/**
 * `ask`: the person has not decided yet. `unavailable`: the browser has no notifications, or the page's origin may not
 * use them.
 */
export type NotificationChoice = "ask" | "on" | "off" | "unavailable";

export function notificationChoice(): NotificationChoice {
  if (typeof Notification === "undefined" || !isSecureContext) return "unavailable";
  if (Notification.permission === "default") return "ask";
  return Notification.permission === "granted" ? "on" : "off";
}

/** Asks for permission to show desktop notifications. Call it only after the person has pressed the button. */
export async function askForNotifications(): Promise<NotificationChoice> {
  await Notification.requestPermission();
  return notificationChoice();
}

/** Shows a desktop notification for each new review, if notifications are on and the page is not visible. */
export function notifyArrivals(arrived: readonly ReviewEntry[]): void {
  if (notificationChoice() !== "on" || document.visibilityState === "visible") return;
  for (const { id, title, repository, agent, mode, url } of arrived) {
    const body = [modeName(mode), repositoryName(repository), agent].filter(Boolean).join(" · ");
    const notification = new Notification(title || "New review", { body, tag: id, silent: true });
    notification.onclick = () => {
      const address = reviewAddress(url);
      if (address) open(address, "_blank", "noopener");
      notification.close();
    };
  }
}
