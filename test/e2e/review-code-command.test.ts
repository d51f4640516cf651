import { spawnSync } from "node:child_process";
import { mkdir, readdir, rename, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { DiffIndex } from "../../src/review/api-types.ts";
import { COMMAND, sandbox, startCommand } from "../support/spawned-command.ts";
import { repositoryIn, type TestRepository } from "../support/test-repository.ts";

const review = ["review", "code", "--no-open"];

/** A clone with staged, unstaged, untracked, renamed and binary changes in the sandbox's project folder. */
async function project(): Promise<{ folder: string; repository: TestRepository }> {
  const folder = await sandbox();
  const origin = repositoryIn(join(folder, "origin"), join(folder, "home"));
  await mkdir(origin.root);
  await origin.git("init", "--quiet", "--template=", "--initial-branch=main");
  await origin.write({
    "src/gate.ts": "export function gate() {\n  const open = true;\n  return open;\n}\n",
    "docs/old name.md": "# Moat\n\nDeep.\nWet.\n",
    "logo.png": Buffer.from([0x89, 0x50, 0, 1]),
  });
  await origin.commit("first");
  await origin.git("clone", "--quiet", origin.root, join(folder, "project"));
  const repository = repositoryIn(join(folder, "project"), join(folder, "home"));
  await rename(join(repository.root, "docs", "old name.md"), join(repository.root, "docs", "moat.md"));
  await repository.write({ "staged.ts": "export const staged = true;\n" });
  await repository.git("add", "--all");
  await repository.write({
    "src/gate.ts": "export function gate() {\n  const open = isDay();\n  return open;\n}\n",
    "docs/moat.md": "# Moat\n\nDeeper.\nWet.\n",
    "logo.png": Buffer.from([0x89, 0x50, 0, 2]),
    "neu/größe.ts": "export const größe = 1;\n",
  });
  return { folder, repository };
}

const note = (more: object) => ({ id: "1", type: "comment", lineStart: 2, lineEnd: 2, side: "new", ...more });

describe("review code", () => {
  it("prints Markdown that an agent can act on without the page", async () => {
    const { folder } = await project();
    const command = await startCommand(review, { folder });
    const url = await command.url();
    const index = (await (await fetch(`${url}/api/diff/index`)).json()) as DiffIndex;
    expect(
      index.files.map(({ path, status, binary }) => `${status}${binary ? " binary" : ""} ${path}`),
    ).toEqual([
      "renamed docs/moat.md",
      "modified binary logo.png",
      "modified src/gate.ts",
      "added staged.ts",
      "added neu/größe.ts",
    ]);
    await command.post("/api/feedback", {
      feedback: "Good start.",
      annotations: [
        note({ type: "suggestion", filePath: "src/gate.ts", suggestedCode: "  const open = isDay(clock);" }),
        note({ filePath: "src/gate.ts", side: "old", text: "Why was this true?" }),
        note({
          type: "concern",
          filePath: "docs/moat.md",
          lineStart: 3,
          lineEnd: 4,
          side: "old",
          text: "Deep enough.",
        }),
        note({ filePath: "neu/größe.ts", lineStart: 1, lineEnd: 1, text: "In English, please." }),
      ],
    });
    const { code, stdout } = await command.ended;
    expect(code).toBe(0);
    expect(stdout).toBe(`# Code review feedback

A reviewer read the diff "Uncommitted changes" (HEAD) of \`project\`, branch \`main\`, and left 4 comments. Lines are counted in the file after the change (new side) or before it (old side).

## In general

Good start.

## \`src/gate.ts\`

### 1. Suggestion on line 2 (new side)

\`\`\`\`ts
  const open = isDay();
\`\`\`\`

Replace these lines with:

\`\`\`\`ts
  const open = isDay(clock);
\`\`\`\`

### 2. Comment on line 2 (old side)

\`\`\`\`ts
  const open = true;
\`\`\`\`

Why was this true?

## \`docs/moat.md\`

### 3. Concern on lines 3-4 (old side, then \`docs/old name.md\`)

\`\`\`\`md
Deep.
Wet.
\`\`\`\`

Deep enough.

## \`neu/größe.ts\`

### 4. Comment on line 1 (new side)

\`\`\`\`ts
export const größe = 1;
\`\`\`\`

In English, please.
`);
  });

  it("prints the result as JSON with --json, and states if there is none", async () => {
    const { folder } = await project();
    const body = {
      feedback: "größer",
      annotations: [note({ filePath: "staged.ts", text: "ok" })],
      agentSwitch: "build",
    };
    const json = await startCommand([...review, "--json", "--origin", "opencode"], { folder });
    await json.post("/api/feedback", body);
    expect(JSON.parse((await json.ended).stdout)).toEqual(body);
    const nothing = await startCommand([...review, "--exit-code"], { folder });
    await nothing.post("/api/feedback", {});
    expect(await nothing.ended).toMatchObject({ code: 0, stdout: "No feedback provided.\n" });
    const something = await startCommand([...review, "--exit-code"], { folder });
    await something.post("/api/feedback", { feedback: "no" });
    expect(await something.ended).toMatchObject({ code: 10, stdout: "no\n" });
    const approved = await startCommand([...review, "--exit-code"], { folder });
    await approved.post("/api/feedback", { feedback: "Approved.", complete: true, approved: true });
    expect(await approved.ended).toMatchObject({ code: 0, stdout: "Approved.\n" });
  });

  it("limits the diff to paths relative to the working directory, and accepts another repository", async () => {
    const { folder, repository } = await project();
    const paths = async (...args: string[]) => {
      const command = await startCommand([...review, ...args], { folder });
      const index = (await (await fetch(`${await command.url()}/api/diff/index`)).json()) as DiffIndex;
      await command.post("/api/feedback", {});
      await command.ended;
      return index.files.map(({ path }) => path);
    };
    expect(await paths("src", "neu/größe.ts")).toEqual(["src/gate.ts", "neu/größe.ts"]);
    expect(await paths("--repo", join(repository.root, "docs"), "moat.md")).toEqual(["docs/moat.md"]);
    const outside = await startCommand([...review, "../origin"], { folder });
    expect(await outside.ended).toMatchObject({ code: 2, stdout: "" });
  });

  it("exits with 4 and the remedy without a repository or git", async () => {
    const folder = await sandbox();
    const nowhere = await startCommand(review, { folder, environment: { GIT_CEILING_DIRECTORIES: folder } });
    const end = await nowhere.ended;
    expect(end).toMatchObject({ code: 4, stdout: "" });
    expect(end.stderr).toMatch(/not inside a git repository[\s\S]*--repo DIR/);
    const { folder: cloned } = await project();
    await symlink(process.execPath, join(cloned, "home", "node"));
    const gitless = await startCommand(review, {
      folder: cloned,
      environment: { PATH: join(cloned, "home") },
    });
    const missing = await gitless.ended;
    expect(missing).toMatchObject({ code: 4, stdout: "" });
    expect(missing.stderr).toMatch(/Install git/);
  });

  it("tells the page that the diff is out of date, and shows the new one on request", async () => {
    const { folder, repository } = await project();
    const command = await startCommand(review, { folder });
    const url = await command.url();
    const before = (await (await fetch(`${url}/api/diff/index`)).json()) as DiffIndex;
    const stream = await fetch(`${url}/api/events`);
    await repository.write({ "staged.ts": "export const staged = false;\n" });
    let received = "";
    for await (const chunk of stream.body ?? []) {
      received += Buffer.from(chunk).toString();
      if (received.includes("event: stale")) break;
    }
    expect(received).toContain("event: hello");
    await command.post("/api/diff/switch", { diffType: "uncommitted", patch: false });
    const after = (await (await fetch(`${url}/api/diff/index`)).json()) as DiffIndex;
    expect(after.diffId).not.toBe(before.diffId);
    await command.post("/api/feedback", {});
    expect((await command.ended).code).toBe(0);
  });

  it("leaves no files or processes, however it ends", async () => {
    const { folder } = await project();
    const decided = await startCommand(review, { folder });
    await fetch(`${await decided.url()}/api/diff`);
    await decided.post("/api/feedback", {});
    await decided.ended;
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      const ended = await startCommand(review, { folder });
      await fetch(`${await ended.url()}/api/diff`);
      ended.child.kill(signal);
      await ended.ended;
    }
    expect(await readdir(join(folder, "tmp"))).toEqual([]);
  });
});

it("reports that the working directory was deleted, without a stack trace", async () => {
  const folder = await sandbox();
  const missing = join(folder, "gone");
  await mkdir(missing);
  const script = `cd "$1" && rmdir "$1" && exec "$2" "$3" review code --no-open`;
  const ended = spawnSync("sh", ["-c", script, "sh", missing, process.execPath, COMMAND], {
    encoding: "utf8",
  });
  expect(ended.status).toBe(2);
  expect(ended.stdout).toBe("");
  expect(ended.stderr).toContain("The working directory was deleted");
  expect(ended.stderr).not.toContain("    at ");
});
