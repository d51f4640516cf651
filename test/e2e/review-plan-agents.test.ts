import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { sandbox, startCommand } from "../support/spawned-command.ts";

const example = (name: string) => readFile(resolve(import.meta.dirname, "../../examples", name), "utf8");
const review = ["review", "plan", "--no-open"];

/** Sends one decision to a review of `stdin` and returns how the command ended. */
async function decide(
  stdin: string,
  path: string,
  body: object,
  options: { folder?: string; environment?: Record<string, string> } = {},
) {
  const command = await startCommand(review, { stdin, ...options });
  const response = await command.post(path, body);
  expect(response).toMatchObject({ status: 200, body: { ok: true } });
  const end = await command.ended;
  expect(end.code).toBe(0);
  return end.stdout;
}

describe("Claude Code", () => {
  it("is denied with the feedback, and nothing else is on stdout", async () => {
    const feedback = '## 1. Remove this\n\n```\n"quoted"\n```\n\n## 2. größer 🏰\n';
    const stdout = await decide(await example("claude-code-hook.json"), "/api/deny", { feedback });
    expect(stdout).toBe(
      `${JSON.stringify({
        hookSpecificOutput: {
          hookEventName: "PermissionRequest",
          decision: { behavior: "deny", message: feedback },
        },
      })}\n`,
    );
  });

  it("is allowed with its input and the chosen mode", async () => {
    const event = await example("claude-code-hook.json");
    const stdout = await decide(event, "/api/approve", { permissionMode: "acceptEdits" });
    expect(JSON.parse(stdout).hookSpecificOutput.decision).toEqual({
      behavior: "allow",
      updatedInput: JSON.parse(event).tool_input,
      updatedPermissions: [{ type: "setMode", mode: "acceptEdits", destination: "session" }],
    });
  });

  it("gets a review that states that no plan was sent", async () => {
    const event = { ...JSON.parse(await example("claude-code-hook.json")), tool_input: {} };
    const command = await startCommand(review, { stdin: JSON.stringify(event) });
    const state = await (await fetch(`${await command.url()}/api/plan`)).json();
    expect(state).toMatchObject({ plan: "", origin: "origin_a", missing: expect.stringMatching(/without/) });
  });

  it("handles an event itself that is not about a plan", async () => {
    const event = { ...JSON.parse(await example("claude-code-hook.json")), tool_name: "Bash" };
    const { code, stdout } = await (await startCommand(review, { stdin: JSON.stringify(event) })).ended;
    expect([code, stdout]).toEqual([0, ""]);
  });

  it("never gets output or a denying exit code from a failure", async () => {
    const stdin = await example("claude-code-hook.json");
    const folder = await sandbox();
    await writeFile(join(folder, "data"), "in the way");
    const failures: { folder?: string; environment?: Record<string, string> }[] = [
      { folder },
      { environment: { SERVICE_PORT: "0" } },
      { environment: { SERVICE_ORIGIN: "x" } },
    ];
    for (const options of failures) {
      const { code, stdout, stderr } = await (await startCommand(review, { stdin, ...options })).ended;
      expect([code, stdout]).toEqual([1, ""]);
      expect(stderr).toMatch(/SERVICE_/);
    }
  });
});

describe("other agents", () => {
  it("Gemini CLI: plan from its folder, deny with the reason", async () => {
    const folder = await sandbox();
    await mkdir(join(folder, "plans"));
    await writeFile(join(folder, "plans", "feat.md"), "# Feature");
    const event = {
      hook_event_name: "BeforeTool",
      tool_name: "exit_plan_mode",
      tool_input: { plan_filename: "feat.md" },
    };
    const environment = { GEMINI_PLANS_DIR: join(folder, "plans") };
    const stdin = JSON.stringify(event);
    expect(await decide(stdin, "/api/deny", { feedback: "no" }, { folder, environment })).toBe(
      '{"decision":"deny","reason":"no"}\n',
    );
    expect(await decide(stdin, "/api/approve", {}, { folder, environment })).toBe('{"decision":"allow"}\n');
  });

  it("Codex CLI: plan from the transcript, and no review for a turn without a plan", async () => {
    const folder = await sandbox();
    const transcript = join(folder, "rollout.jsonl");
    const payload = { type: "item_completed", turn_id: "t1", item: { type: "Plan", text: "# Plan" } };
    await writeFile(transcript, `${JSON.stringify({ type: "event_msg", payload })}\n`);
    const event = (turn: string) =>
      JSON.stringify({ hook_event_name: "Stop", transcript_path: transcript, turn_id: turn });
    expect(await decide(event("t1"), "/api/deny", { feedback: "no" }, { folder })).toBe(
      '{"decision":"block","reason":"no"}\n',
    );
    const { code, stdout } = await (await startCommand(review, { stdin: event("t2"), folder })).ended;
    expect([code, stdout]).toEqual([0, ""]);
  });

  it("Copilot CLI: plan from its session, its note after the tool has run, and no denial by a failure", async () => {
    const folder = await sandbox();
    const session = join(folder, "home", ".copilot", "session-state", "s1");
    await mkdir(session, { recursive: true });
    await writeFile(join(session, "plan.md"), "# Plan");
    const event = { sessionId: "s1", toolName: "exit_plan_mode", toolArgs: {} };
    const stdin = JSON.stringify(event);
    expect(await decide(stdin, "/api/deny", { feedback: "no" }, { folder })).toBe(
      '{"permissionDecision":"deny","permissionDecisionReason":"no"}\n',
    );
    await decide(stdin, "/api/approve", { feedback: "Mind it." }, { folder });
    const ran = JSON.stringify({ ...event, toolResult: { resultType: "success" } });
    const result = await (await startCommand(review, { stdin: ran, folder })).ended;
    expect(JSON.parse(result.stdout).additionalContext).toMatch(/Mind it\.$/);
    const environment = { SERVICE_PORT: "0" };
    const failed = await (await startCommand(review, { stdin, folder, environment })).ended;
    expect(failed).toMatchObject({ code: 0, stdout: "", stderr: expect.stringContaining("SERVICE_PORT") });
  });

  it("Qwen Code: an approval, and its note after the tool has run", async () => {
    const folder = await sandbox();
    const event = (name: string) =>
      JSON.stringify({ hook_event_name: name, tool_name: "exit_plan_mode", tool_input: { plan: "# Plan" } });
    const approved = await decide(
      event("PermissionRequest"),
      "/api/approve",
      { feedback: "größer" },
      { folder },
    );
    expect(JSON.parse(approved).hookSpecificOutput.decision).toEqual({ behavior: "allow" });
    const toolHasRun = async () => {
      const command = await startCommand(review, { stdin: event("PostToolUse"), folder });
      return command.ended;
    };
    const result = await toolHasRun();
    expect(result.code).toBe(0);
    expect(JSON.parse(result.stdout).hookSpecificOutput.additionalContext).toMatch(/größer$/);
    await decide(event("PermissionRequest"), "/api/deny", { feedback: "no" }, { folder });
    expect(await toolHasRun()).toMatchObject({ code: 0, stdout: "" });
  });

  it("the envelope: agents are offered, and the choice is returned", async () => {
    const command = await startCommand(review, { stdin: await example("envelope.json") });
    const response = await (await fetch(`${await command.url()}/api/agents`)).json();
    expect(response).toMatchObject({ agents: [{ id: "build" }, { id: "plan" }] });
    await command.post("/api/approve", {
      agentSwitch: "build",
      feedback: "Go.",
      planSave: { enabled: false },
    });
    const { stdout } = await command.ended;
    expect(JSON.parse(stdout)).toEqual({ decision: "approve", agentSwitch: "build", feedback: "Go." });
  });

  it("an invalid envelope: shown unchanged, with a warning", async () => {
    const command = await startCommand(review, { stdin: '{"plan": "# Half' });
    await command.waitForOutput(/looks like JSON but is not an event or an envelope/);
    expect((await command.post("/api/approve", {})).status).toBe(200);
    expect(await command.ended).toMatchObject({ code: 0 });
  });

  it("plain Markdown: text, and with --json the same as the envelope", async () => {
    expect(await decide(await example("plan.md"), "/api/deny", { feedback: "Not yet." })).toBe(
      "Plan not approved.\n\nNot yet.\n",
    );
    expect(await decide(await example("plan.md"), "/api/approve", {})).toBe("Plan approved.\n");
    const command = await startCommand([...review, "--json", "--exit-code"], { stdin: "# Plan" });
    await command.post("/api/deny", { planSave: { enabled: false } });
    const { code, stdout } = await command.ended;
    expect([code, JSON.parse(stdout)]).toEqual([10, { decision: "deny", feedback: "Plan rejected by user" }]);
  });
});

describe("review last", () => {
  it("prints a decision that an agent missed", async () => {
    const folder = await sandbox();
    const command = await startCommand(review, { stdin: "# Plan", folder });
    await command.post("/api/deny", { feedback: "recovered" });
    command.child.kill("SIGKILL");
    await command.ended;
    const last = await (await startCommand(["review", "last"], { folder })).ended;
    expect([last.code, last.stdout]).toEqual([0, "Plan not approved.\n\nrecovered\n"]);
    const json = await (await startCommand(["review", "last", "--json"], { folder })).ended;
    expect(JSON.parse(json.stdout)).toMatchObject({ decision: "deny", feedback: "recovered" });
  });

  it("reports that there is no decision", async () => {
    const { code, stdout, stderr } = await (await startCommand(["review", "last"])).ended;
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("No decision is recorded");
  });
});
