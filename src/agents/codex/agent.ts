import type { Agent } from "../agent.ts";
import { codexHook } from "./hook.ts";

export const codex: Agent = {
  id: "codex",
  name: "Codex CLI",
  program: "codex",
  hook: codexHook,
  install: async () => (await import("./install.ts")).install,
  // Since 0.130, Codex ignores model_provider and model_providers in a project's config.toml.
  proxy: { writesFiles: true, isUserOnly: true, load: async () => (await import("./proxy.ts")).connector },
};
