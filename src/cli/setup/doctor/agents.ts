import type { InstallTarget } from "../../../agents/agent.ts";
import { readEitherState } from "../../../agents/file-edits/install-state.ts";
import { proxyClients, type ReviewedAgent, reviewedAgents } from "../../../agents/registry.ts";
import { currentInstallTarget, isConnected } from "../install-target.ts";
import type { Finding } from "./finding.ts";
import { isOnPath } from "./programs.ts";

export interface AgentsContext {
  readonly searchPath: string;
  readonly proxyRuns: boolean;
}

/** Reports for every agent whether its hook is installed, and which agents and SDKs are connected to the proxy. */
export async function agentFindings({ searchPath, proxyRuns }: AgentsContext): Promise<readonly Finding[]> {
  const target = await currentInstallTarget(false);
  const hooks = reviewedAgents.map(async (agent) =>
    hookFinding(agent, target, await isOnPath(agent.program, searchPath)),
  );
  const proxied = proxyClients.map(async (client) =>
    (await isConnected(client, target)) ? [connectionFinding(client.id, client.name, proxyRuns)] : [],
  );
  return [...(await Promise.all(hooks)), ...(await Promise.all(proxied)).flat()];
}

async function hookFinding(agent: ReviewedAgent, target: InstallTarget, isHere: boolean): Promise<Finding> {
  const subject = agent.name;
  const { edits, findProblem } = await agent.install();
  const { state, live } = await readEitherState(edits, target);
  if (state === "installed") {
    const problem = await findProblem?.(target);
    if (problem) return { subject, state: "warning", ...problem };
    return { subject, state: "ok", detail: live ? "hook installed, live" : "hook installed" };
  }
  if (state === "absent") {
    if (!isHere) return { subject, state: "off", detail: "not installed" };
    const remedy = `sallyport install ${agent.id}`;
    return { subject, state: "off", detail: "plans are not reviewed: no hook installed", remedy };
  }
  const install = `sallyport install ${agent.id}`;
  if (state === "outdated") {
    const detail = "the hook is from another version, or its command has moved";
    return { subject, state: "warning", detail, remedy: `${install} --yes` };
  }
  const remedy = `Correct the file first. ${install} prints its path and the line.`;
  return { subject, state: "warning", detail: "its settings cannot be read", remedy };
}

function connectionFinding(id: string, name: string, proxyRuns: boolean): Finding {
  const subject = `${name} → proxy`;
  if (proxyRuns) return { subject, state: "ok", detail: "connected" };
  const remedy = `sallyport proxy start, or sallyport proxy disconnect ${id}`;
  return { subject, state: "warning", detail: "connected, but the proxy is not running", remedy };
}
