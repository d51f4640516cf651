import type { DecisionResponse, FeedbackBody } from "../../../src/review/api-types.ts";
import { explain, sendJson } from "../../shared/api/client.ts";
import { stopDraft } from "./draft.ts";
import { useSession } from "./session.ts";

/**
 * Sends the decision. Resolves to an error message, or to undefined once the server has stored the decision
 * on disk.
 */
export async function decide(body: FeedbackBody, approved: boolean): Promise<string | undefined> {
  const result = await sendJson<DecisionResponse>("POST", "/api/feedback", {
    ...body,
    sessionId: useSession.getState().index?.sessionId,
  });
  if (!result.ok) return explain(result);
  stopDraft();
  const { doubt, warnings = [] } = result.value;
  useSession.setState({
    phase: "sent",
    sent: { feedback: body.feedback ?? "", approved, warnings },
    doubt,
  });
  return undefined;
}
