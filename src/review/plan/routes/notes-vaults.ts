import type { FastifyInstance } from "fastify";
import type { VaultList } from "../../api-types.ts";
import type { PlanReview } from "../plan-review.ts";
import { findVaults } from "../save/find-vaults.ts";

/** GET /api/notes/vaults: the Obsidian vaults on this machine. */
export function notesVaultsRoute(app: FastifyInstance, { vaultFolders }: PlanReview): void {
  app.get("/api/notes/vaults", async (): Promise<VaultList> => ({ vaults: await findVaults(vaultFolders) }));
}
