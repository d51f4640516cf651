import type { Agent } from "../agent.ts";

/** It has no plans to review. */
export const pi: Agent = {
  id: "pi",
  name: "pi",
  proxy: { writesFiles: true, load: async () => (await import("./proxy.ts")).connector },
};
