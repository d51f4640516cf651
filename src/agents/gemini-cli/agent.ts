import type { Agent } from "../agent.ts";
import { geminiCliHook } from "./hook.ts";

export const geminiCli: Agent = {
  id: "gemini-cli",
  name: "Gemini CLI",
  program: "gemini",
  hook: geminiCliHook,
  install: async () => (await import("./install.ts")).install,
  packages: async () => [(await import("./package.ts")).geminiExtension],
  proxy: { writesFiles: true, load: async () => (await import("./proxy.ts")).connector },
};
