import type { FastifyInstance } from "fastify";
import { findVaults } from "../notes/find-vaults.ts";
import type { PlanReview } from "../plan/plan-review.ts";

/** GET /api/notes/vaults: the vaults that Obsidian knows on this machine. */
export function notesVaultsRoute(app: FastifyInstance, { vaultPlaces }: PlanReview): void {
  app.get("/api/notes/vaults", async () => ({ vaults: await findVaults(vaultPlaces) }));
}
