import { useEffect, useState } from "react";
import type { Agent, AgentsResponse, PermissionMode, PlanState } from "../../../src/review/api-types.ts";
import { getJson } from "../../shared/api/client.ts";

const MODES: readonly { readonly value: PermissionMode; readonly label: string }[] = [
  { value: "default", label: "Ask before each edit" },
  { value: "acceptEdits", label: "Accept edits" },
  { value: "auto", label: "Ask when it judges it necessary" },
  { value: "dontAsk", label: "Only what is already allowed" },
  { value: "bypassPermissions", label: "Skip all permission checks" },
];

interface PermissionChoiceProps {
  readonly plan: PlanState;
  readonly value: PermissionMode | "";
  readonly onChange: (value: PermissionMode | "") => void;
}

/** Renders the choice of the agent's permission mode after approval. The default leaves the mode to the agent. */
export function PermissionChoice({ plan, value, onChange }: PermissionChoiceProps) {
  return (
    <label className="field">
      <span>Permission mode after approval</span>
      <select className="input" value={value} onChange={({ target }) => onChange(parseMode(target.value))}>
        <option value="">Leave it to {plan.caller.name}</option>
        {MODES.map((mode) => (
          <option key={mode.value} value={mode.value}>
            {mode.label} ({mode.value})
          </option>
        ))}
      </select>
      {value === "bypassPermissions" && (
        <small className="warning-text">
          The agent can run any command without asking. This mode works only if {plan.caller.name} was started
          with --dangerously-skip-permissions.
        </small>
      )}
    </label>
  );
}

function parseMode(value: string): PermissionMode | "" {
  return MODES.find((mode) => mode.value === value)?.value ?? "";
}

interface AgentChoiceProps {
  readonly value: string;
  readonly onChange: (agent: string) => void;
}

/** Renders the choice of the agent that continues with the plan. */
export function AgentChoice({ value, onChange }: AgentChoiceProps) {
  const [agents, setAgents] = useState<readonly Agent[]>([]);
  const [error, setError] = useState<string>();
  useEffect(() => {
    getJson<AgentsResponse>("/api/agents").then((result) => {
      if (result.ok) setAgents(result.value.agents);
      setError(result.ok ? result.value.error : undefined);
    });
  }, []);
  return (
    <label className="field">
      <span>Continue with</span>
      <select className="input" value={value} onChange={({ target }) => onChange(target.value)}>
        <option value="">The same agent</option>
        {agents.map(({ id, name, description }) => (
          <option key={id} value={id} title={description}>
            {name}
          </option>
        ))}
      </select>
      {error && <small>Cannot list other agents.</small>}
    </label>
  );
}
