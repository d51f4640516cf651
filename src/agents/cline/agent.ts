import type { Agent } from "../agent.ts";

export const cline: Agent = {
  id: "cline",
  name: "Cline CLI",
  program: "cline",
  isUserOnly: true,
  install: async () => (await import("./install.ts")).install,
  proxy: { writesFiles: true, needsFiles: true, load: async () => (await import("./proxy.ts")).connector },
};
