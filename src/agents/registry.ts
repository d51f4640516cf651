import { AppError } from "../errors.ts";
import type { Agent } from "./agent.ts";
import { claudeCode } from "./claude-code/agent.ts";
import { cline } from "./cline/agent.ts";
import { codex } from "./codex/agent.ts";
import { copilotCli } from "./copilot-cli/agent.ts";
import { geminiCli } from "./gemini-cli/agent.ts";
import { kilo, openCode } from "./opencode/agent.ts";
import { pi } from "./pi/agent.ts";
import { qwenCode } from "./qwen-code/agent.ts";
import { sdks } from "./sdks/agent.ts";

/** Every agent and SDK, in the order in which lists name them; `proxyClients` is sorted differently. */
export const agents: readonly Agent[] = [
  claudeCode,
  openCode,
  codex,
  geminiCli,
  qwenCode,
  copilotCli,
  kilo,
  cline,
  pi,
  ...sdks,
];

/** An agent whose plans can be reviewed. */
export type ReviewedAgent = Agent & {
  readonly install: NonNullable<Agent["install"]>;
  readonly program: string;
};

/** An agent or SDK that can be connected to the proxy. */
export type ProxyClient = Agent & { readonly proxy: NonNullable<Agent["proxy"]> };

/** The agents of `sallyport install`. */
export const reviewedAgents: readonly ReviewedAgent[] = agents.filter(
  (agent): agent is ReviewedAgent => agent.install !== undefined && agent.program !== undefined,
);

/** The clients of `sallyport proxy connect`, those with settings files first. */
export const proxyClients: readonly ProxyClient[] = agents
  .filter((agent): agent is ProxyClient => agent.proxy !== undefined)
  .toSorted((one, other) => Number(other.proxy.writesFiles) - Number(one.proxy.writesFiles));

/** The agents of `sallyport run`: programs that read the proxy's address from variables or arguments. */
export const launchedAgents: readonly ProxyClient[] = proxyClients.filter(
  ({ program, proxy }) => program !== undefined && proxy.needsFiles !== true,
);

/** Returns the agent with this id or program name, such as "claude". Throws `usage` for an unknown name. */
export function reviewedAgentNamed(name: string): ReviewedAgent {
  const agent = find(reviewedAgents, name);
  if (agent) return agent;
  throw new AppError("usage", `Unknown agent: ${name}`, {
    hint: `Known agents: ${getIds(reviewedAgents).join(", ")}. See sallyport install --list.`,
  });
}

/**
 * Returns the client with this id or program name, such as "claude". Throws `usage` for an unknown name, and names the
 * `suitable` clients.
 */
export function proxyClientNamed(name: string, suitable = proxyClients): ProxyClient {
  const client = find(proxyClients, name);
  if (client) return client;
  throw new AppError("usage", `Unknown client: ${name}`, {
    hint: `Known clients: ${getIds(suitable).join(", ")}.`,
  });
}

/** Formats the ids as a list in a sentence: "a, b or c". */
export function listedIds(some: readonly Agent[]): string {
  const ids = getIds(some);
  return ids.length < 2 ? ids.join("") : `${ids.slice(0, -1).join(", ")} or ${ids.at(-1)}`;
}

function find<Kind extends Agent>(some: readonly Kind[], name: string): Kind | undefined {
  return some.find(({ id, program }) => id === name || program === name);
}

function getIds(some: readonly Agent[]): string[] {
  return some.map(({ id }) => id);
}
