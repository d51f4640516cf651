import type { Agent } from "../agent.ts";
import { copilotCliHook } from "./hook.ts";

export const copilotCli: Agent = {
  id: "copilot",
  name: "Copilot CLI",
  program: "copilot",
  hook: copilotCliHook,
  install: async () => (await import("./install.ts")).install,
  proxy: { writesFiles: false, load: async () => (await import("./proxy.ts")).connector },
};
