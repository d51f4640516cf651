import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type SpawnedCommand, sandbox, startCommand } from "../support/spawned-command.ts";

const REVIEW = ["review", "plan", "--no-open"];

async function putDraft(url: string, body: object): Promise<{ status: number; body: unknown }> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${url}/api/draft`, { method: "PUT", headers, body: JSON.stringify(body) });
  return { status: response.status, body: await response.json() };
}

async function draftOf(command: SpawnedCommand): Promise<{ generation: number; content: unknown }> {
  const response = await fetch(`${await command.url()}/api/draft`);
  return (await response.json()) as { generation: number; content: unknown };
}

describe("two reviews of one plan", () => {
  it("keep each other's drafts: a decision in one deletes nothing of the other", async () => {
    const folder = await sandbox();
    const stdin = "# Plan";
    const [one, other] = await Promise.all([
      startCommand(REVIEW, { stdin, folder }),
      startCommand(REVIEW, { stdin, folder }),
    ]);
    const draft = { generation: 1, content: { notes: ["an hour of words"] } };
    expect((await putDraft(await other.url(), draft)).status).toBe(200);
    expect((await one.post("/api/approve", {})).status).toBe(200);
    expect((await one.ended).code).toBe(0);
    other.child.kill("SIGKILL");
    await other.ended;
    const next = await startCommand(REVIEW, { stdin, folder });
    expect(await draftOf(next)).toMatchObject(draft);
  });

  it("accept one of two drafts that are saved concurrently", async () => {
    const folder = await sandbox();
    const commands = await Promise.all([1, 2].map(() => startCommand(REVIEW, { stdin: "# Plan", folder })));
    const urls = await Promise.all(commands.map((command) => command.url()));
    for (let generation = 1; generation <= 30; generation += 1) {
      const responses = await Promise.all(
        urls.map((url, writer) => putDraft(url, { generation, content: { writer, generation } })),
      );
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 409]);
      const winner = responses.findIndex(({ status }) => status === 200);
      for (const command of commands)
        expect(await draftOf(command)).toMatchObject({ generation, content: { writer: winner } });
    }
  });
});

describe("the same text", () => {
  const missing = JSON.stringify({
    hook_event_name: "PermissionRequest",
    tool_name: "ExitPlanMode",
    tool_input: {},
  });

  it.each([
    ["a plan", "# Plan"],
    ["an event without a plan", missing],
  ])("of %s in another project has a draft and a last decision of its own", async (_what, stdin) => {
    const folder = await sandbox();
    const elsewhere = join(folder, "project", "elsewhere");
    await mkdir(join(elsewhere, ".git"), { recursive: true });
    const one = await startCommand(REVIEW, { stdin, folder });
    const draft = { generation: 1, content: "secret remark on project A" };
    expect((await putDraft(await one.url(), draft)).status).toBe(200);
    const other = await startCommand(REVIEW, { stdin, folder, cwd: elsewhere });
    expect(await draftOf(other)).toMatchObject({ generation: 0, content: null });
    await other.post("/api/deny", { feedback: "about B" });
    await other.ended;
    expect(await draftOf(one)).toMatchObject(draft);
    const last = (cwd: string, ...flags: string[]) =>
      startCommand(["review", "last", ...flags], { folder, cwd }).then(({ ended }) => ended);
    const none = await last(join(folder, "project"));
    expect([none.code, none.stdout]).toEqual([1, ""]);
    expect(none.stderr).toContain("No decision on");
    expect(none.stderr).toContain("--all");
    expect((await last(join(folder, "project"), "--all")).stdout).toContain("about B");
    expect((await last(elsewhere)).stdout).toContain("about B");
    await one.post("/api/deny", { feedback: "about A" });
    await one.ended;
    expect((await last(join(folder, "project"))).stdout).toContain("about A");
    expect((await last(elsewhere)).stdout).toContain("about B");
  });

  it("has a separate draft for another agent in the same project", async () => {
    const folder = await sandbox();
    const envelope = (origin: string) => JSON.stringify({ plan: "# Plan", origin });
    const one = await startCommand(REVIEW, { stdin: envelope("origin_a"), folder });
    const draft = { generation: 1, content: "for Claude Code" };
    expect((await putDraft(await one.url(), draft)).status).toBe(200);
    const other = await startCommand(REVIEW, { stdin: envelope("origin_b"), folder });
    expect(await draftOf(other)).toMatchObject({ generation: 0 });
  });
});
