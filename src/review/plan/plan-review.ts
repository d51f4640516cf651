import type { PlanHistory } from "../storage/history.ts";
import type { AgentChannel } from "./agent-channel.ts";
import type { PlanSource } from "./plan-id.ts";
import type { VaultFolders } from "./save/find-vaults.ts";

/** A plan under review and everything that is known about it. */
export interface PlanReview {
  readonly plan: string;
  readonly planId: string;
  readonly source: PlanSource;
  readonly title: string;
  /** Set when the agent sent no plan: what to tell the person. */
  readonly missing?: string | undefined;
  /** The file that the agent reads again after the decision, where it does. */
  readonly file?: string | undefined;
  readonly permissionMode?: string | undefined;
  /** What the agent's tool call holds besides the plan. */
  readonly requested?: Readonly<Record<string, unknown>> | undefined;
  readonly channel: AgentChannel;
  /** On its way while the server starts; undefined where the data directory cannot be used. */
  readonly history: Promise<PlanHistory | undefined>;
  /** Where plans are saved unless the person says otherwise. */
  readonly plansFolder: string;
  readonly vaultFolders: VaultFolders;
}
