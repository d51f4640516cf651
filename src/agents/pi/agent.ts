import type { Agent } from "../agent.ts";

/** pi has no plans to review. */
export const pi: Agent = {
  id: "pi",
  name: "pi",
  isUserOnly: true,
  proxy: { writesFiles: true, needsFiles: true, load: async () => (await import("./proxy.ts")).connector },
};
