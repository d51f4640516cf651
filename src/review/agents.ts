import { z } from "zod";
import { AppError } from "../errors.ts";
import type { Agent, AgentOrigin, AgentsResponse } from "./api-types.ts";

/** An agent that a caller or an OpenCode server lists. */
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
  /** Agents listed by the caller. */
  readonly listed?: readonly ListedAgent[] | undefined;
  /** Address of an OpenCode server on this machine. */
  readonly opencodeUrl?: string | undefined;
  readonly cwd: string;
}

const TIMEOUT_MS = 2_000;

/**
 * Returns the agents that a decision may name: primary agents that are not hidden; none if the origin is not
 * `origin_b`. Never rejects: a failed request sets `error`.
 */
export async function listAgents(sources: AgentSources): Promise<AgentsResponse> {
  if (sources.origin !== "origin_b") return { agents: [] };
  if (sources.listed) return { agents: offered(sources.listed) };
  if (!sources.opencodeUrl) return { agents: [] };
  try {
    return { agents: offered(await askOpenCode(sources.opencodeUrl, sources.cwd)) };
  } catch {
    return { agents: [], error: "Failed to fetch agents" };
  }
}

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
 * Throws `validation` if no offered agent has this id or name. Accepts any name if no agents are known, because the
 * caller may have agents that it did not list.
 */
export function checkOffered(name: string, agents: AgentsResponse["agents"]): void {
  if (agents.length === 0 || agents.some((agent) => agent.id === name || agent.name === name)) return;
  throw new AppError("validation", `agentSwitch: there is no agent "${name}" to switch to`);
}

/**
 * Requests `GET /agent` from an OpenCode server. Rejects if the server is not on this machine, because the request
 * contains the project folder.
 */
async function askOpenCode(base: string, cwd: string): Promise<ListedAgent[]> {
  const url = new URL("agent", base.endsWith("/") ? base : `${base}/`);
  if (!["localhost", "127.0.0.1", "[::1]"].includes(url.hostname)) throw new Error("not on this machine");
  url.searchParams.set("directory", cwd);
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: "error" });
  if (!response.ok) throw new Error(`status ${response.status}`);
  return z.array(listedAgent).parse(await response.json());
}
