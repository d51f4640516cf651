import { join } from "node:path";
import type { Agent, Place } from "../../../agents/agent.ts";
import { wasEverTrusted } from "../../../agents/codex/hook-trust.ts";
import { codexFolder } from "../../../agents/codex/install.ts";
import { connectors } from "../../../agents/connectors.ts";
import { readText } from "../../../agents/file-edits/changes.ts";
import { stateOf } from "../../../agents/file-edits/install-state.ts";
import { agents } from "../../../agents/registry.ts";
import { currentPlace, receiptsOf } from "../install-target.ts";
import type { Finding } from "./finding.ts";
import { isOnPath } from "./programs.ts";

export interface AgentsPlace {
  readonly searchPath: string;
  readonly proxyRuns: boolean;
}

/** Every agent: whether it is here, has our hook, and goes through the proxy. */
export async function agentFindings({ searchPath, proxyRuns }: AgentsPlace): Promise<readonly Finding[]> {
  const place = await currentPlace(false);
  const hooks = agents.map(async (agent) =>
    hookFinding(agent, place, await isOnPath(agent.program, searchPath)),
  );
  const proxied = connectors.map(async (connector) => {
    const receipts = receiptsOf(connector.id, "proxy");
    const edits = connector.edits(place, { url: "", key: "", ownLogin: false, models: [] });
    const kept = await Promise.all(edits.map(({ path }) => receipts.find(path).catch(() => undefined)));
    return kept.some(Boolean) ? [connectionFinding(connector.id, connector.name, proxyRuns)] : [];
  });
  return [...(await Promise.all(hooks)), ...(await Promise.all(proxied)).flat()];
}

async function hookFinding(agent: Agent, place: Place, isHere: boolean): Promise<Finding> {
  const subject = agent.name;
  const state = await stateOf(agent.edits(place));
  if (state === "installed")
    return (await untrusted(agent, place)) ?? { subject, state: "ok", detail: "hook installed" };
  if (state === "absent") {
    if (!isHere) return { subject, state: "off", detail: "not on this machine" };
    const remedy = `sallyport install ${agent.id}`;
    return { subject, state: "off", detail: "its plans are not reviewed: no hook installed", remedy };
  }
  const install = `sallyport install ${agent.id}`;
  if (state === "outdated") {
    const detail = "the hook is another version's, or leads to a command that has moved";
    return { subject, state: "warning", detail, remedy: `${install} --yes` };
  }
  const remedy = `Mend the file first; ${install} says which, and the line.`;
  return { subject, state: "warning", detail: "its settings cannot be read", remedy };
}

/** Codex keeps quiet about a hook it does not run. */
async function untrusted(agent: Agent, place: Place): Promise<Finding | undefined> {
  if (agent.id !== "codex") return undefined;
  const folder = codexFolder(place);
  const configuration = (await readText(join(folder, "config.toml")).catch(() => "")) ?? "";
  if (wasEverTrusted(configuration, join(folder, "hooks.json"))) return undefined;
  return {
    subject: agent.name,
    state: "warning",
    detail: "hook installed, but Codex does not run it yet",
    remedy: "Start codex and trust the hook when it asks (or under /hooks).",
  };
}

function connectionFinding(id: string, name: string, proxyRuns: boolean): Finding {
  const subject = `${name} → proxy`;
  if (proxyRuns) return { subject, state: "ok", detail: "connected" };
  const remedy = `sallyport proxy start, or sallyport proxy disconnect ${id}`;
  return { subject, state: "warning", detail: "connected, but the proxy is not running", remedy };
}
