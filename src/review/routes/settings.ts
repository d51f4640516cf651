import type { FastifyInstance } from "fastify";
import { AppError } from "../../errors.ts";
import { isFromPage } from "../../http/page-token.ts";
import { parseBody, settingsBody } from "../body-schemas.ts";
import type { ReviewContext } from "../context.ts";
import { expandFolder } from "../plan/save/save-folder.ts";

/**
 * GET and PUT /api/settings: what the person chose, for all reviews to come. A PUT leaves out what it keeps; a folder
 * that no plan could be saved in is 400, as it would be with every decision to come.
 */
export function settingsRoutes(app: FastifyInstance, { settings, pageToken }: ReviewContext): void {
  app.get("/api/settings", () => settings.read());
  app.put("/api/settings", (request) => {
    // They hold for all reviews to come, and name folders to write to.
    if (!isFromPage(request, pageToken))
      throw new AppError("forbidden", "Settings are accepted from the review page only. Reload the page.");
    const members = parseBody(settingsBody, request.body);
    const folder = members.planSave?.customPath;
    // Whose home it would be makes no difference to whether it can be meant.
    if (folder) expandFolder(folder, "/", "planSave.customPath");
    return settings.change(members);
  });
}
