import type { PlanHistory } from "../storage/history.ts";
import type { AgentChannel } from "./agent-channel.ts";
import type { PlanSource } from "./plan-id.ts";
import type { VaultFolders } from "./save/find-vaults.ts";

/** A plan under review and its context. */
export interface PlanReview {
  readonly plan: string;
  readonly planId: string;
  readonly source: PlanSource;
  readonly title: string;
  /** Message for the person; set if the agent sent no plan. */
  readonly missing?: string | undefined;
  /** The file that the agent reads again after the decision, if any. */
  readonly file?: string | undefined;
  readonly permissionMode?: string | undefined;
  /** Members of the agent's tool call other than the plan. */
  readonly requested?: Readonly<Record<string, unknown>> | undefined;
  readonly channel: AgentChannel;
  /** Loaded while the server starts; resolves to undefined if the data directory cannot be used. */
  readonly history: Promise<PlanHistory | undefined>;
  /** Folder for saved plans unless the person chooses another. */
  readonly plansFolder: string;
  readonly vaultFolders: VaultFolders;
  /**
   * Reads the file of a live review again and makes its text the plan. Resolves to the previous text, or to undefined
   * if the file is empty or unchanged.
   */
  readonly reload?: (() => Promise<string | undefined>) | undefined;
  /** Calls the function after each save of the file of a live review. Returns a function that stops watching. */
  readonly watch?: ((onSaved: () => void) => () => void) | undefined;
}
