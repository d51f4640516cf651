import type { Agent } from "../agent.ts";
import { claudeCodeHook } from "./hook.ts";

export const claudeCode: Agent = {
  id: "claude-code",
  name: "Claude Code",
  program: "claude",
  hook: claudeCodeHook,
  install: async () => (await import("./install.ts")).install,
  packages: async () => [
    (await import("./package.ts")).claudeCodePlugin,
    (await import("./mod.ts")).claudeCodeMod,
  ],
  proxy: { writesFiles: true, load: async () => (await import("./proxy.ts")).connector },
};
