import type { Agent } from "../agent.ts";
import { qwenCodeHook } from "./hook.ts";

export const qwenCode: Agent = {
  id: "qwen",
  name: "Qwen Code",
  program: "qwen",
  hook: qwenCodeHook,
  install: async () => (await import("./install.ts")).install,
  proxy: { writesFiles: true, load: async () => (await import("./proxy.ts")).connector },
};
