import { execFileSync } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { processesIn } from "../support/processes-in.ts";
import { sandbox, startCommand } from "../support/spawned-command.ts";
import { repositoryIn } from "../support/test-repository.ts";

/** A repository in which git waits for a named pipe: as soon as it reads its configuration, or when it looks for new files. */
async function hangingProject(where: "configuration" | "ignore file") {
  const folder = await sandbox();
  const repository = repositoryIn(join(folder, "project"), join(folder, "home"));
  await repository.git("init", "--quiet", "--template=");
  await repository.write({ "a.txt": "a\n" });
  await repository.commit();
  await mkdir(join(repository.root, "src"));
  execFileSync("mkfifo", [join(repository.root, "src", ".gitignore")]);
  if (where === "configuration") await repository.git("config", "include.path", "../src/.gitignore");
  return { folder, root: repository.root };
}

const review = ["review", "code", "--no-open"];
/** The command itself works in the folder too. */
const gitIn = async (root: string) =>
  (await processesIn(root)).filter((line) => !line.includes("sallyport.js"));

describe("review code while git hangs", () => {
  it("ends after --timeout before its page is served, and leaves no git process", async () => {
    const { folder, root } = await hangingProject("configuration");
    const command = await startCommand([...review, "--timeout", "2"], { folder });
    expect(await command.ended).toMatchObject({ code: 124, stdout: "" });
    await expect.poll(() => gitIn(root)).toEqual([]);
  });

  it("reports what it waited for if git does not respond", async () => {
    const { folder } = await hangingProject("configuration");
    const command = await startCommand(review, { folder, environment: { SERVICE_GIT_TIMEOUT: "1" } });
    const { code, stderr } = await command.ended;
    expect(code).toBe(4);
    expect(stderr).toMatch(/git \S+ did not finish within 1 s.*\n.*SERVICE_GIT_TIMEOUT/s);
  });

  it.each(["SIGTERM", "SIGKILL"] as const)("leaves no git process after %s", async (signal) => {
    const { folder, root } = await hangingProject("ignore file");
    const command = await startCommand(review, { folder });
    await fetch(await command.url());
    await expect.poll(async () => (await gitIn(root)).length).toBeGreaterThan(0);
    command.child.kill(signal);
    await command.ended;
    await expect.poll(() => gitIn(root)).toEqual([]);
  });

  it("accepts feedback", async () => {
    const { folder, root } = await hangingProject("ignore file");
    const command = await startCommand(review, { folder });
    await command.url();
    expect((await command.post("/api/feedback", { feedback: "Take the pipe away." })).status).toBe(200);
    const { code, stdout } = await command.ended;
    expect(code).toBe(0);
    expect(stdout).toContain("Take the pipe away.");
    await expect.poll(() => gitIn(root)).toEqual([]);
  });
});
