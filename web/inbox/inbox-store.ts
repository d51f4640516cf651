import { create } from "zustand";
import type { InboxContent } from "../../src/review/api-types.ts";
import { explain, getJson } from "../shared/api/client.ts";
import { announce } from "../shared/components/toast.tsx";
import { inboxOrder, newArrivals } from "./entries.ts";
import { notifyArrivals } from "./notifications.ts";

interface InboxState extends InboxContent {
  /** The reason why the inbox could not be loaded; undefined if it was loaded. */
  readonly failure: string | undefined;
  readonly connected: boolean;
}

export const useInbox = create<InboxState>(() => ({
  waiting: [],
  decided: [],
  failure: undefined,
  connected: true,
}));

export async function loadInbox(): Promise<void> {
  const result = await getJson<InboxContent>("/api/inbox");
  if (result.ok) show(result.value);
  else useInbox.setState({ failure: explain(result) });
}

function show(content: InboxContent): void {
  const { waiting, decided } = inboxOrder({ waiting: content.waiting ?? [], decided: content.decided ?? [] });
  useInbox.setState({ waiting, decided, failure: undefined });
  document.title = waiting.length === 0 ? "Inbox: Sallyport" : `(${waiting.length}) Inbox: Sallyport`;
}

const RETRY_MS = 5_000;

/**
 * Loads the inbox when the connection is opened, because changes may have been missed before, and after every change
 * that the server reports. Announces new reviews.
 */
export function followInbox(): void {
  const source = new EventSource("/api/events");
  const refresh = async () => {
    const before = useInbox.getState().waiting;
    await loadInbox();
    const arrived = newArrivals(before, useInbox.getState().waiting);
    for (const { title, repository } of arrived) announce(`New review: ${title || repository}`);
    notifyArrivals(arrived);
  };
  source.onopen = () => {
    useInbox.setState({ connected: true });
    void refresh();
  };
  source.onerror = () => {
    useInbox.setState({ connected: false });
    if (source.readyState === EventSource.CLOSED) setTimeout(followInbox, RETRY_MS);
  };
  for (const name of ["inbox", "reviews", "message"]) source.addEventListener(name, () => void refresh());
}
