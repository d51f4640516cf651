import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { decodeInput, loadPlan } from "../../src/agents/decode-input.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

describe("loadPlan", () => {
  it("takes the plan of the event", async () => {
    expect(await loadPlan({ in: "event", text: "# Plan" })).toEqual({ plan: "# Plan" });
  });

  it("reads a file, and names it where the agent reads it again", async () => {
    const path = join(await temporaryFolder(), "plan.md");
    await writeFile(path, "# Plan");
    expect(await loadPlan({ in: "file", path })).toEqual({ plan: "# Plan" });
    expect(await loadPlan({ in: "file", path, isReadAgain: true })).toEqual({ plan: "# Plan", file: path });
  });

  it("reads Codex's transcript", async () => {
    const path = join(await temporaryFolder(), "rollout.jsonl");
    const item = { type: "Plan", text: "# Plan" };
    await writeFile(path, JSON.stringify({ payload: { type: "item_completed", turn_id: "1", item } }));
    const load = async (turn?: string) => {
      const event = JSON.stringify({ hook_event_name: "Stop", transcript_path: path, turn_id: turn });
      const input = decodeInput(event, { home: "/", environment: {} });
      return input.kind === "hook" ? loadPlan(input.plan) : undefined;
    };
    expect(await load()).toEqual({ plan: "# Plan" });
    expect(await load("1")).toEqual({ plan: "# Plan" });
    expect(await load("2")).toEqual({ missing: `There is no plan in ${path}.` });
  });

  it("returns what is missing instead of failing", async () => {
    expect(await loadPlan({ in: "file", path: "/no/such/file" })).toEqual({
      missing: "Cannot read the plan from /no/such/file.",
    });
    expect(await loadPlan({ in: "nowhere", reason: "GEMINI_PLANS_DIR is not set." })).toEqual({
      missing: "The agent asked for a review without sending a plan. GEMINI_PLANS_DIR is not set.",
    });
  });
});
