import type { Agent } from "../agent.ts";
import { kiloProgram, type OpenCodeProgram, openCodeProgram } from "./programs.ts";

function agentOf(program: OpenCodeProgram): Agent {
  return {
    id: program.id,
    name: program.name,
    program: program.id,
    install: async () => (await import("./install.ts")).installFor(program),
    proxy: { writesFiles: true, load: async () => (await import("./proxy.ts")).connectorFor(program) },
  };
}

export const openCode = agentOf(openCodeProgram);

/** Kilo is derived from OpenCode. */
export const kilo = agentOf(kiloProgram);
