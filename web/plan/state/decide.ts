import type { ApproveBody, DecisionResponse, DenyBody } from "../../../src/review/api-types.ts";
import { explain, type Result, sendJson } from "../../shared/api/client.ts";
import { useReview } from "./review-store.ts";

/** Approves the plan. Resolves to an error message, or to undefined once the review is decided. */
export async function approve(body: ApproveBody): Promise<string | undefined> {
  const result = await send("/api/approve", body);
  const { feedback = "", permissionMode, agentSwitch } = body;
  return conclude(result, (response) =>
    useReview.setState({
      phase: "done",
      dialog: undefined,
      outcome: {
        kind: "approved",
        feedback,
        response,
        permissionMode,
        agentSwitch,
      },
    }),
  );
}

/** Requests changes. Resolves to an error message, or to undefined once the review is decided. */
export async function requestChanges(body: DenyBody): Promise<string | undefined> {
  const result = await send("/api/deny", body);
  return conclude(result, (response) =>
    useReview.setState({
      phase: "done",
      dialog: undefined,
      outcome: { kind: "denied", feedback: body.feedback ?? "", response },
    }),
  );
}

/**
 * Sends a decision. `deciding` marks the decision as this tab's own, because its event may arrive before the
 * response.
 */
async function send(path: string, body: ApproveBody | DenyBody): Promise<Result<DecisionResponse>> {
  const { plan } = useReview.getState();
  useReview.setState({ deciding: true });
  const result = await sendJson<DecisionResponse>("POST", path, { ...body, planId: plan?.planId });
  useReview.setState({ deciding: false });
  return result;
}

function conclude(
  result: Result<DecisionResponse>,
  onResponse: (response: DecisionResponse) => void,
): string | undefined {
  if (result.ok) {
    onResponse(result.value);
    return undefined;
  }
  if (result.reason === "refused" && result.status === 409) {
    useReview.setState({ phase: "done", dialog: undefined, outcome: { kind: "elsewhere" } });
    return undefined;
  }
  return explain(result);
}
