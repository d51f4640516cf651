import type { DashboardState } from "../../src/proxy/dashboard/api-types.ts";
import type { TestProxy } from "./start-proxy.ts";

export interface DashboardEvents {
  /** Returns the next state that matches, and discards those before it. */
  readonly until: (fits: (state: DashboardState) => boolean) => Promise<DashboardState>;
  /** Resolves when the proxy has ended the stream. */
  readonly ended: () => Promise<void>;
  readonly stop: () => void;
}

/** Follows a proxy's dashboard over a real socket, as its page does. */
export async function followDashboard(
  proxy: Pick<TestProxy, "url">,
  headers: Record<string, string> = {},
): Promise<DashboardEvents> {
  const aborter = new AbortController();
  const url = `${proxy.url}/internal/dashboard/events`;
  const response = await fetch(url, { headers, signal: aborter.signal });
  if (response.status !== 200 || !response.body) throw new Error(`status ${response.status}`);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  const next = async (): Promise<DashboardState | undefined> => {
    while (!rest.includes("\n\n")) {
      const { done, value } = await reader.read();
      if (done) return undefined;
      rest += value;
    }
    const end = rest.indexOf("\n\n");
    const event = rest.slice(0, end);
    rest = rest.slice(end + 2);
    return event.startsWith("data: ") ? JSON.parse(event.slice("data: ".length)) : next();
  };
  return {
    async until(fits) {
      for (;;) {
        const state = await next();
        if (!state) throw new Error("the stream has ended");
        if (fits(state)) return state;
      }
    },
    async ended() {
      while (await next());
    },
    stop: () => aborter.abort(),
  };
}
