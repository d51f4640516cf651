import { sentenceStart } from "../../shared/sentence-start.ts";
import { useReview } from "../state/review-store.ts";

/**
 * Shows the values, mainly permissions, that the agent sent with the plan and that an approval returns to it.
 */
export function AgentRequests() {
  const requested = useReview((state) => state.plan?.requested);
  const name = useReview((state) => state.plan?.caller.name ?? "The agent");
  if (!requested) return null;
  const { allowedPrompts, ...others } = requested;
  return (
    <>
      {allowedPrompts !== undefined && (
        <div className="banner banner-warning" role="note">
          <span>
            <strong>{sentenceStart(name)} asks for permissions with this plan.</strong> If you approve the
            plan, these permissions are granted: {listed(allowedPrompts)}
          </span>
        </div>
      )}
      {Object.keys(others).length > 0 && (
        <details className="banner">
          <summary>Sent with the plan: {Object.keys(others).join(", ")}</summary>
          <pre className="sent-feedback-preview">{JSON.stringify(others, null, 2)}</pre>
        </details>
      )}
    </>
  );
}

/** Formats each permission in the agent's wording, and other values as JSON. */
function listed(prompts: unknown): string {
  if (!Array.isArray(prompts)) return JSON.stringify(prompts);
  return prompts
    .map((prompt) => (isPrompt(prompt) ? `${prompt.tool}: ${prompt.prompt}` : JSON.stringify(prompt)))
    .join("; ");
}

function isPrompt(value: unknown): value is { readonly tool: string; readonly prompt: string } {
  if (typeof value !== "object" || value === null || !("tool" in value) || !("prompt" in value)) return false;
  return (
    typeof value.tool === "string" && typeof value.prompt === "string" && Object.keys(value).length === 2
  );
}
