import { execFileSync } from "node:child_process";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { withOwnNames } from "../../src/config/paths.ts";
import { openRepository } from "../../src/review/git/repository.ts";
import { codeServer } from "../support/code-server.ts";
import { processesIn } from "../support/processes-in.ts";
import { snapshotOf, type TestRepository, testRepository } from "../support/test-repository.ts";

/** When git opens a named pipe, it waits until a process writes to it, which never happens here. */
function pipe(repository: TestRepository, path: string): void {
  execFileSync("mkfifo", [join(repository.root, path)]);
}

/** The same repository, with a few seconds for each call of git. */
function hurried(repository: TestRepository, seconds = "5"): TestRepository {
  const environment = { ...repository.environment, SERVICE_GIT_TIMEOUT: seconds };
  return { ...repository, open: (folder = repository.root) => openRepository(folder, environment) };
}

it("G9 a git command that hangs is killed, and the error names it", async () => {
  const repository = await testRepository({ "src/a.txt": "old\n" });
  pipe(repository, "src/.gitignore");
  await expect(snapshotOf(hurried(repository))).rejects.toMatchObject({
    code: "git_timeout",
    message: expect.stringContaining("git ls-files did not finish within 5 s"),
    hint: expect.stringContaining("SERVICE_GIT_TIMEOUT"),
  });
  await expect.poll(() => processesIn(repository.root)).toEqual([]);
});

it("G9 configuration that includes a pipe does not block the rejection of the repository", async () => {
  const repository = await testRepository({ "a.txt": "old\n" });
  pipe(repository, "endless");
  await repository.git("config", "include.path", "../endless");
  await expect(hurried(repository).open()).rejects.toMatchObject({ code: "git_timeout", exitCode: 4 });
  await expect.poll(() => processesIn(repository.root)).toEqual([]);
});

it.each([
  ["600", undefined],
  ["19", "SALLYPORT_GIT_TIMEOUT"],
])(
  "G9 the error of a repository that cannot be found in time names a variable only if it helps: %s s",
  async (seconds, variable) => {
    const { root, environment } = await testRepository({ "a.txt": "old\n" });
    const own = withOwnNames({ ...environment, SALLYPORT_GIT_TIMEOUT: seconds });
    const over = AbortSignal.abort();
    const timeout = vi.spyOn(AbortSignal, "timeout").mockReturnValue(over);
    onTestFinished(() => timeout.mockRestore());
    const error = await openRepository(root, own).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "git_timeout" });
    const advice = variable === undefined ? "" : ` If git is only slow, set ${variable} to more seconds.`;
    expect(error).toMatchObject({ hint: `Run git status in the repository.${advice}` });
  },
);

it("G9 feedback is accepted while git hangs, and git ends with the review", async () => {
  const repository = await testRepository({ "a.txt": "old\n" });
  await repository.write({ "a.txt": "new\n" });
  pipe(repository, ".gitignore");
  const { app, context, post } = await codeServer(hurried(repository, "600"));
  const annotation = { id: "1", type: "comment", filePath: "a.txt", lineStart: 1, lineEnd: 1, side: "new" };
  const response = await post("/api/feedback", {
    feedback: "Take the pipe away.",
    annotations: [{ ...annotation, text: "Why?" }],
  });
  expect(response.json()).toMatchObject({ ok: true });
  const outcome = await context.session.outcome;
  expect(JSON.stringify(outcome)).toContain("Take the pipe away.");
  await app.close();
  await expect.poll(() => processesIn(repository.root)).toEqual([]);
});

it("G9 a failed diff is computed again on the next request", async () => {
  const repository = await testRepository({ "a.txt": "old\n" });
  await repository.write({ "a.txt": "new\n" });
  pipe(repository, ".gitignore");
  const { get } = await codeServer(hurried(repository));
  const refused = await get("/api/diff");
  expect(refused.statusCode).toBe(504);
  expect(refused.json()).toMatchObject({ error: expect.stringContaining("did not finish") });
  await rm(join(repository.root, ".gitignore"));
  expect((await get("/api/diff")).json().rawPatch).toContain("+new");
});
