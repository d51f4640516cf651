import { execFileSync } from "node:child_process";
import { appendFile, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type SpawnedCommand, sandbox, startCommand } from "../support/spawned-command.ts";

/** The hook of `sallyport install --live`: each plan of a session is a round of the same review. */

interface RunningFile {
  readonly id: string;
  readonly pid: number;
  readonly port: number;
  readonly title: string;
  readonly agent: string;
}

const event = (plan: string, session = "s1") =>
  JSON.stringify({
    hook_event_name: "PermissionRequest",
    tool_name: "ExitPlanMode",
    tool_input: { plan },
    session_id: session,
  });

const envelope = (plan: string) => JSON.stringify({ plan, origin: "opencode" });

async function startHook(folder: string, stdin: string, ...flags: string[]): Promise<SpawnedCommand> {
  return startCommand(["review", "plan", "--live", "--no-open", ...flags], { folder, stdin });
}

async function openReviews(folder: string): Promise<readonly RunningFile[]> {
  const running = join(folder, "data", "running");
  const names = (await readdir(running).catch(() => [])).filter((name) => name.endsWith(".json"));
  return Promise.all(
    names.map(async (name) => JSON.parse(await readFile(join(running, name), "utf8")) as RunningFile),
  );
}

async function openReview(folder: string): Promise<RunningFile> {
  await expect.poll(() => openReviews(folder)).toHaveLength(1);
  const [review] = await openReviews(folder);
  if (!review) throw new Error("no review");
  onTestFinished(() => kill(review));
  return review;
}

function kill({ pid }: RunningFile): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // The process has already ended.
  }
}

async function call({ port }: RunningFile, path: string, body?: object): Promise<Record<string, unknown>> {
  const origin = `http://localhost:${port}`;
  const response = await fetch(`${origin}${path}`, {
    method: body ? "POST" : "GET",
    headers: { origin, "content-type": "application/json" },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  expect(response.status, path).toBe(200);
  return (await response.json()) as Record<string, unknown>;
}

async function comment(review: RunningFile, plan: string, quote: string, markdown: string): Promise<void> {
  const start = plan.indexOf(quote);
  const anchor = { kind: "plan", start, end: start + quote.length };
  await call(review, "/api/threads", { anchor, type: "concern", markdown });
}

async function agentState(review: RunningFile): Promise<string> {
  const { live } = (await call(review, "/api/plan")) as { readonly live?: { agent: { state: string } } };
  return live?.agent.state ?? "none";
}

const planOf = async (review: RunningFile) => (await call(review, "/api/plan"))["plan"];

describe("the hook of live plan reviews", () => {
  const FIRST = "# Cross the moat\n\nBuild a bridge of oak.\n";
  const SECOND = "# Cross the moat safely\n\nBuild a bridge of stone.\n";

  it("denies with each batch, shows the next plan as the next round, and allows once approved", async () => {
    const folder = await sandbox();
    const first = await startHook(folder, event(FIRST));
    const review = await openReview(folder);
    expect(review).toMatchObject({ agent: "Claude Code", title: "Cross the moat" });
    await comment(review, FIRST, "bridge of oak", "Oak burns.");
    await call(review, "/api/send", { feedback: "Think of fire." });
    const denied = await first.ended;
    expect(denied.code).toBe(0);
    const { decision } = JSON.parse(denied.stdout).hookSpecificOutput;
    expect(decision.behavior).toBe("deny");
    expect(decision.message).toMatch(
      /submit it again[\s\S]*Think of fire\.[\s\S]*bridge of oak[\s\S]*Oak burns\./,
    );
    expect(decision.message).not.toContain("review wait");

    const second = await startHook(folder, event(SECOND));
    await expect.poll(() => planOf(review)).toBe(SECOND);
    expect(await openReviews(folder)).toHaveLength(1);
    await call(review, "/api/finish", { approved: true, feedback: "Well done." });
    const allowed = await second.ended;
    const after = JSON.parse(allowed.stdout).hookSpecificOutput.decision;
    expect(after.behavior).toBe("allow");
    expect(after.updatedInput.plan).toMatch(/bridge of stone[\s\S]*Well done\./);
    await expect.poll(() => openReviews(folder)).toEqual([]);
  });

  it("gives a batch to the latest hook of a session whose earlier hook the agent abandoned", async () => {
    const folder = await sandbox();
    const first = await startHook(folder, event(FIRST));
    const review = await openReview(folder);
    await expect.poll(() => agentState(review)).toBe("waiting");
    const second = await startHook(folder, event(SECOND));
    await expect.poll(() => planOf(review)).toBe(SECOND);
    await call(review, "/api/send", { feedback: "Use stone." });
    expect((await second.ended).stdout).toContain("Use stone.");
    const third = await startHook(folder, event(FIRST));
    await expect.poll(() => agentState(review)).toBe("waiting");
    await call(review, "/api/finish", { approved: true });
    expect((await third.ended).stdout).toContain("allow");
    await first.ended;
  });

  it("does not count a batch as delivered once the agent's transcript shows that it was interrupted", async () => {
    const folder = await sandbox();
    const transcript = join(folder, "chat.jsonl");
    await writeFile(transcript, "");
    const plans = join(folder, "plans");
    await mkdir(plans);
    await writeFile(join(plans, "moat.md"), FIRST);
    const submitted = JSON.stringify({
      hook_event_name: "BeforeTool",
      tool_name: "exit_plan_mode",
      tool_input: { plan_filename: "moat.md" },
      session_id: "s1",
      transcript_path: transcript,
    });
    const environment = { GEMINI_PLANS_DIR: plans };
    const start = () =>
      startCommand(["review", "plan", "--live", "--no-open"], { folder, stdin: submitted, environment });
    const first = await start();
    const review = await openReview(folder);
    await expect.poll(() => agentState(review)).toBe("waiting");
    const cancelled = { timestamp: new Date().toISOString(), type: "info", content: "Request cancelled." };
    await appendFile(transcript, `${JSON.stringify(cancelled)}\n`);
    await expect.poll(() => agentState(review)).toBe("gone");
    await call(review, "/api/send", { feedback: "Use stone." });
    await first.ended;
    expect(await agentState(review)).toBe("gone");
    expect((await (await start()).ended).stdout).toContain("Use stone.");
  });

  it("opens one review for each session", async () => {
    const folder = await sandbox();
    await startHook(folder, event(FIRST, "one"));
    await startHook(folder, event(FIRST, "two"));
    await expect.poll(() => openReviews(folder)).toHaveLength(2);
    for (const review of await openReviews(folder)) process.kill(review.pid, "SIGKILL");
  });

  it("keeps the review open when the agent ends, and returns later feedback for its next plan", async () => {
    const folder = await sandbox();
    const first = await startHook(folder, event(FIRST));
    const review = await openReview(folder);
    first.child.kill("SIGKILL");
    await first.ended;
    await call(review, "/api/send", { feedback: "Written meanwhile." });
    const second = await startHook(folder, event(SECOND));
    expect((await second.ended).stdout).toContain("Written meanwhile.");
    expect(await planOf(review)).toBe(SECOND);
  });

  it("returns the final feedback of an ended review for the next plan first", async () => {
    const folder = await sandbox();
    const first = await startHook(folder, event(FIRST));
    const review = await openReview(folder);
    first.child.kill("SIGKILL");
    await first.ended;
    await call(review, "/api/finish", { approved: false, feedback: "Start over." });
    await expect.poll(() => openReviews(folder)).toEqual([]);
    const { stdout } = await (await startHook(folder, event(SECOND))).ended;
    expect(JSON.parse(stdout).hookSpecificOutput.decision.message).toContain("Start over.");
    await startHook(folder, event(SECOND));
    expect(await planOf(await openReview(folder))).toBe(SECOND);
  });

  it("makes no decision when the person ends the review without feedback", async () => {
    const folder = await sandbox();
    const hook = await startHook(folder, event(FIRST));
    await call(await openReview(folder), "/api/finish", { approved: false });
    expect(await hook.ended).toMatchObject({ code: 0, stdout: "" });
  });

  it("accepts an envelope with the session as a flag", async () => {
    const folder = await sandbox();
    const flags = ["--json", "--agent-session=x"];
    const first = await startHook(folder, envelope(FIRST), ...flags);
    const review = await openReview(folder);
    await call(review, "/api/send", { feedback: "No." });
    expect(JSON.parse((await first.ended).stdout)).toMatchObject({ decision: "deny" });
    const second = await startHook(folder, envelope(SECOND), ...flags);
    await expect.poll(() => planOf(review)).toBe(SECOND);
    await call(review, "/api/finish", { approved: true, feedback: "Yes." });
    expect(JSON.parse((await second.ended).stdout)).toEqual({
      decision: "approve",
      feedback: expect.stringContaining("Yes."),
    });
  });

  it("requires a file name for text on stdin", async () => {
    const folder = await sandbox();
    const { code, stderr } = await (await startHook(folder, "# A plan\n")).ended;
    expect(code).toBe(2);
    expect(stderr).toContain("A live review of a plan needs its file");
  });
});

describe("review code --live --detach --reuse", () => {
  it("returns the live review that is open", async () => {
    const folder = await sandbox();
    execFileSync("git", ["init", "-q", join(folder, "project")]);
    const args = ["review", "code", "--live", "--detach", "--reuse", "--no-open", "--agent", "codex"];
    const start = async (...paths: string[]) =>
      JSON.parse((await (await startCommand([...args, ...paths], { folder })).ended).stdout);
    const first = await start();
    const review = await openReview(folder);
    expect(first.id).toBe(review.id);
    expect(await start()).toEqual(first);
    const { code } = await (await startCommand(["review", "code", "--reuse"], { folder })).ended;
    expect(code).toBe(2);
  });

  it("returns no review that is limited to some paths or to a patch", async () => {
    const folder = await sandbox();
    const project = join(folder, "project");
    execFileSync("git", ["init", "-q", project]);
    await writeFile(join(project, "a.txt"), "a\n");
    await writeFile(join(project, "a.patch"), "--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1 @@\n+a\n");
    onTestFinished(async () => (await openReviews(folder)).forEach(kill));
    const args = ["review", "code", "--live", "--detach", "--reuse", "--no-open"];
    const start = async (...more: string[]): Promise<string> =>
      JSON.parse((await (await startCommand([...args, ...more], { folder })).ended).stdout).id;
    const limited = [await start("a.txt"), await start("--patch", "a.patch")];
    const whole = await start();
    expect(new Set([...limited, whole]).size).toBe(3);
    expect(await start("--patch", "a.patch")).not.toBe(whole);
    expect(await start()).toBe(whole);
  });
});
