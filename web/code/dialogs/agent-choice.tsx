import { useEffect, useState } from "react";
import type { Agent, AgentsResponse } from "../../../src/review/api-types.ts";
import { getJson } from "../../shared/api/client.ts";
import { useSession } from "../state/session.ts";

interface AgentChoiceProps {
  readonly value: string;
  readonly onChange: (agent: string) => void;
}

/**
 * Renders the choice of the agent that continues the work, among the caller's agents. Renders nothing if the caller
 * cannot switch agents or has none.
 */
export function AgentChoice({ value, onChange }: AgentChoiceProps) {
  const canSwitch = useSession(({ index }) => index?.caller.takesAgentSwitch ?? false);
  const [agents, setAgents] = useState<readonly Agent[]>([]);
  useEffect(() => {
    if (!canSwitch) return;
    void getJson<AgentsResponse>("/api/agents").then((result) => {
      if (result.ok) setAgents(result.value.agents);
    });
  }, [canSwitch]);
  if (!canSwitch || agents.length === 0) return null;
  return (
    <label className="field">
      <span>Continue with agent</span>
      <select className="input" value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">The agent that asked</option>
        {agents.map((agent) => (
          <option key={agent.id} value={agent.id}>
            {agent.name}
            {agent.description ? `: ${agent.description}` : ""}
          </option>
        ))}
      </select>
    </label>
  );
}
