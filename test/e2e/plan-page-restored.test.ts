import { expect, it } from "vitest";
import { launchBrowserForFile, openPage } from "../support/browser.ts";
import { sandbox, startCommand } from "../support/spawned-command.ts";

const browser = await launchBrowserForFile();

const REVIEW = ["review", "plan", "--no-open"];

it("an edit of an abandoned review is restored with a notice, and can be discarded", async () => {
  const folder = await sandbox();
  const stdin = "# Tunnel\n\nDig.\n";
  const first = await startCommand(REVIEW, { stdin, folder });
  const content = { annotations: [], note: "", edited: "# Tunnel\n\nDig with a spoon.\n" };
  const draft = await fetch(`${await first.url()}/api/draft`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ generation: 1, content }),
  });
  expect(draft.status).toBe(200);
  first.child.kill("SIGKILL");
  await first.ended;
  const second = await startCommand(REVIEW, { stdin, folder });
  const { page } = await openPage(browser, await second.url());
  const notice = page.getByRole("status").filter({ hasText: "Your edit of the plan was restored" });
  await notice.waitFor();
  await page.locator(".plan").getByText("Dig with a spoon.").waitFor();
  await notice.getByRole("button", { name: "Discard" }).click();
  await page.locator(".plan").getByText("Dig.", { exact: true }).waitFor();
  expect(await page.locator(".plan").getByText("Dig with a spoon.").count()).toBe(0);
  await page.getByRole("button", { name: "Undo" }).click();
  await page.locator(".plan").getByText("Dig with a spoon.").waitFor();
});

it("permissions that the agent requests with its plan are shown", async () => {
  const toolInput = {
    plan: "# Tunnel\n",
    allowedPrompts: [{ tool: "Bash", prompt: "run any command" }],
    planFilePath: "plans/tunnel.md",
  };
  const event = { hook_event_name: "PermissionRequest", tool_name: "ExitPlanMode", tool_input: toolInput };
  const command = await startCommand(REVIEW, { stdin: JSON.stringify(event) });
  const { page } = await openPage(browser, await command.url());
  await page.getByText("Claude Code asks for permissions with this plan.").waitFor();
  await page.getByText("Bash: run any command").waitFor();
  await page.getByText("Sent with the plan: planFilePath").waitFor();
  await command.post("/api/approve", {});
  const { stdout } = await command.ended;
  expect(JSON.parse(stdout).hookSpecificOutput.decision.updatedInput).toEqual(toolInput);
});

it("an agent whose session asks again is reported as gone, and the decision is kept", async () => {
  const folder = await sandbox();
  const event = (plan: string) =>
    JSON.stringify({
      hook_event_name: "PermissionRequest",
      tool_name: "ExitPlanMode",
      session_id: "s1",
      tool_input: { plan },
    });
  const first = await startCommand(REVIEW, { stdin: event("# One"), folder });
  const { page } = await openPage(browser, await first.url());
  await page.locator(".plan").getByRole("heading", { name: "One" }).waitFor();
  const second = await startCommand(REVIEW, { stdin: event("# Two"), folder });
  await second.url();
  await page.getByText("Claude Code has since requested another review").waitFor();
  const response = await first.post("/api/deny", { feedback: "not heard" });
  expect(response.body).toMatchObject({ ok: true, doubt: "asked-again" });
  expect((await first.ended).stderr).toContain("review last");
  const last = await (await startCommand(["review", "last"], { folder })).ended;
  expect(last.stdout).toContain("not heard");
});
