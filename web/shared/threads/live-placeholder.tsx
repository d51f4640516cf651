import { liveStatus } from "../../../src/render/live/live-status.ts";
import { useThreads } from "./thread-store.ts";
import { batchState } from "./threads.ts";

/**
 * Takes the height of the live banner until the banner's code has loaded, so that the content below does not
 * move.
 */
export function LivePlaceholder() {
  const agent = useThreads(({ live }) => live?.agent);
  const threads = useThreads((state) => state.threads);
  if (!agent) return null;
  return (
    <div className="banner live-banner">
      <span>{liveStatus(agent, batchState(threads)).text}</span>
    </div>
  );
}
