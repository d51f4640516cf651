import { z } from "zod";
import { AppError } from "../errors.ts";
import type { Agent, AgentOrigin, AgentsAnswer } from "./api-types.ts";

/** An agent as a caller or an OpenCode server lists it. */
export const listedAgent = z
  .object({
    id: z.string().exactOptional(),
    name: z.string().exactOptional(),
    description: z.string().exactOptional(),
    mode: z.string().exactOptional(),
    hidden: z.boolean().exactOptional(),
  })
  .refine((agent) => agent.id ?? agent.name, "must have an id or a name");

export type ListedAgent = z.infer<typeof listedAgent>;

export interface AgentSources {
  readonly origin: AgentOrigin;
  /** What the caller sent along. */
  readonly listed?: readonly ListedAgent[] | undefined;
  /** A running OpenCode server of this machine. */
  readonly opencodeUrl?: string | undefined;
  readonly cwd: string;
}

const TIMEOUT_MS = 2_000;

/** The agents a person may hand over to: primary ones that are not hidden. Only origin_b has any. Never throws. */
export async function listAgents(sources: AgentSources): Promise<AgentsAnswer> {
  if (sources.origin !== "origin_b") return { agents: [] };
  if (sources.listed) return { agents: offered(sources.listed) };
  if (!sources.opencodeUrl) return { agents: [] };
  try {
    return { agents: offered(await askOpenCode(sources.opencodeUrl, sources.cwd)) };
  } catch {
    return { agents: [], error: "Failed to fetch agents" };
  }
}

/** Those of a list that may be offered, each with id, name and description. Pure. */
function offered(agents: readonly ListedAgent[]): Agent[] {
  return agents
    .filter(({ mode, hidden }) => mode === "primary" && hidden !== true)
    .map(({ id, name, description }) => ({
      id: id ?? name ?? "",
      name: name ?? id ?? "",
      description: description ?? "",
    }));
}

/**
 * Throws `validation` for an agent, by id or name, that is not on offer. Where none is known, any will do: the caller
 * may know more than it said.
 */
export function checkOffered(name: string, agents: AgentsAnswer["agents"]): void {
  if (agents.length === 0 || agents.some((agent) => agent.id === name || agent.name === name)) return;
  throw new AppError("validation", `agentSwitch: there is no agent "${name}" to switch to`);
}

/** OpenCode's `GET /agent`. Only on this machine: the folder's name goes with it. */
async function askOpenCode(base: string, cwd: string): Promise<ListedAgent[]> {
  const url = new URL("agent", base.endsWith("/") ? base : `${base}/`);
  if (!["localhost", "127.0.0.1", "[::1]"].includes(url.hostname)) throw new Error("not on this machine");
  url.searchParams.set("directory", cwd);
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: "error" });
  if (!response.ok) throw new Error(`status ${response.status}`);
  return z.array(listedAgent).parse(await response.json());
}
