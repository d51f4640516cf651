import type { FastifyInstance } from "fastify";
import { AppError } from "../../errors.ts";
import { isFromPage } from "../../http/page.ts";
import { parseBody, settingsBody } from "../body-schemas.ts";
import type { ReviewContext } from "../context.ts";
import { expandFolder } from "../plan/save/save-folder.ts";

/**
 * GET and PUT /api/settings: the person's choices for all later reviews. A PUT keeps the members it leaves out. The
 * response is 400 for a `planSave.customPath` that `expandFolder` rejects, because no later decision could save its
 * plan there.
 */
export function settingsRoutes(app: FastifyInstance, { settings, pageToken }: ReviewContext): void {
  app.get("/api/settings", () => settings.read());
  app.put("/api/settings", (request) => {
    // Settings apply to all later reviews and name folders that are written to.
    if (!isFromPage(request, pageToken))
      throw new AppError("forbidden", "Settings are accepted from the review page only. Reload the page.");
    const members = parseBody(settingsBody, request.body);
    const folder = members.planSave?.customPath;
    // Whether the path is valid does not depend on the home directory.
    if (folder) expandFolder(folder, "/", "planSave.customPath");
    return settings.change(members);
  });
}
