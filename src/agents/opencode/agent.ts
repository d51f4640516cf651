import type { Agent } from "../agent.ts";

export const openCode: Agent = {
  id: "opencode",
  name: "OpenCode",
  program: "opencode",
  install: async () => (await import("./install.ts")).install,
  proxy: { writesFiles: true, load: async () => (await import("./proxy.ts")).connector },
};
