import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadPlan } from "../../src/agents/load-plan.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

describe("loadPlan", () => {
  it("takes the plan of the event", async () => {
    expect(await loadPlan({ in: "event", text: "# Plan" }, { copilot: "" })).toEqual({ plan: "# Plan" });
  });

  it("reads Gemini's file, and only from its own folder", async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, "plans"));
    await writeFile(join(folder, "plans", "feat.md"), "# Feature");
    await writeFile(join(folder, "secret.md"), "secret");
    const folders = { geminiPlans: join(folder, "plans"), copilot: "" };
    const load = (filename: string) => loadPlan({ in: "gemini-plans", filename }, folders);
    expect(await load("feat.md")).toEqual({ plan: "# Feature", file: join(folder, "plans", "feat.md") });
    expect(await load("../secret.md")).toHaveProperty("missing");
    expect(await loadPlan({ in: "gemini-plans", filename: "feat.md" }, { copilot: "" })).toMatchObject({
      missing: expect.stringContaining("GEMINI_PLANS_DIR"),
    });
  });

  it("reads Copilot's file of the session", async () => {
    const copilot = await temporaryFolder();
    await mkdir(join(copilot, "session-state", "s1"), { recursive: true });
    await writeFile(join(copilot, "session-state", "s1", "plan.md"), "# Plan");
    expect(await loadPlan({ in: "copilot-session", sessionId: "s1" }, { copilot })).toEqual({
      plan: "# Plan",
    });
  });

  it("reads Codex's transcript", async () => {
    const folder = await temporaryFolder();
    const path = join(folder, "rollout.jsonl");
    const item = { type: "Plan", text: "# Plan" };
    await writeFile(path, JSON.stringify({ payload: { type: "item_completed", turn_id: "1", item } }));
    expect(await loadPlan({ in: "codex-transcript", path }, { copilot: "" })).toEqual({ plan: "# Plan" });
    const other = { in: "codex-transcript", path, turnId: "2" } as const;
    expect(await loadPlan(other, { copilot: "" })).toHaveProperty("missing");
  });

  it("says what is missing instead of failing", async () => {
    const location = { in: "codex-transcript", path: "/no/such/file" } as const;
    expect(await loadPlan(location, { copilot: "" })).toEqual({
      missing: "The plan could not be read from /no/such/file.",
    });
    expect(await loadPlan({ in: "nowhere" }, { copilot: "" })).toHaveProperty("missing");
  });
});
