import type { Agent } from "../agent.ts";
import { codexHook } from "./hook.ts";

export const codex: Agent = {
  id: "codex",
  name: "Codex CLI",
  program: "codex",
  hook: codexHook,
  install: async () => (await import("./install.ts")).install,
  proxy: { writesFiles: true, load: async () => (await import("./proxy.ts")).connector },
};
