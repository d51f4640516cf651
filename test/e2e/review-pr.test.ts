import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { PostResponse, PullPreview, PullState, Thread, ThreadList } from "../../src/review/api-types.ts";
import { PULL } from "../support/forges/castle.ts";
import type { RunningForge } from "../support/forges/forge-server.ts";
import {
  type PullReviewRun,
  startPullReview,
  startVendor,
  type TestedForge,
  TOKEN,
} from "../support/forges/start-pull-review.ts";
import { sandbox, startCommand } from "../support/spawned-command.ts";
import { testRepository } from "../support/test-repository.ts";

const FORGES: readonly TestedForge[] = ["github", "gitlab", "bitbucket", "azure"];

const lines = (lineStart: number, lineEnd = lineStart, side = "new") => ({
  kind: "lines",
  path: "src/wall.txt",
  side,
  lineStart,
  lineEnd,
});

async function threadsOf(review: PullReviewRun): Promise<readonly Thread[]> {
  return (await review.get<ThreadList>("/api/threads")).threads;
}

async function comment(
  review: PullReviewRun,
  anchor: object,
  markdown: string,
  members: object = {},
): Promise<Thread> {
  const { body } = await review.page("POST", "/api/threads", {
    anchor,
    type: "comment",
    markdown,
    ...members,
  });
  return body as Thread;
}

async function preview(review: PullReviewRun, body: object): Promise<PullPreview> {
  return (await review.page("POST", "/api/pr/preview", body)).body as PullPreview;
}

describe.each(FORGES)("review pr at %s", (name) => {
  it("shows the request, its checks, commits and threads", async () => {
    const review = await startPullReview(name);
    const pull = await review.get<PullState>("/api/pr");
    expect(pull).toMatchObject({
      forge: name,
      number: 7,
      title: PULL.title,
      description: PULL.description,
      author: PULL.author,
      base: "main",
      head: "raise",
      problems: [],
    });
    expect(pull.url).toBe(review.address);
    expect(pull.reviewers.map((reviewer) => reviewer.name)).toEqual([PULL.reviewer]);
    expect(Object.fromEntries(pull.checks.map((check) => [check.name, check.state]))).toEqual({
      build: "success",
      lint: "failure",
    });
    const { commits } = await review.get<{ commits: readonly { title: string }[] }>("/api/commits");
    expect(commits.map(({ title }) => title)).toEqual(["Raise two stones", "Add words"]);
    const index = await review.get<{ files: readonly { path: string }[] }>("/api/diff/index");
    expect(index.files.map(({ path }) => path).sort()).toEqual([
      "docs/größe 大.md",
      "gone.txt",
      "src/wall.txt",
    ]);
    const { text } = await review.get<{ text: string }>("/api/file?path=src%2Fwall.txt&side=old");
    expect(text.split("\n")[9]).toBe("stone 10");
    const threads = await threadsOf(review);
    const found = threads.find(({ anchor }) => anchor.kind === "lines");
    expect(found).toMatchObject({
      anchor: { path: "src/wall.txt", side: "new", lineStart: 10, lineEnd: 10, code: "stone 10, raised" },
      messages: [{ author: { kind: "person", name: "vauban" }, markdown: "Why raised?" }],
    });
    expect(threads.find(({ anchor }) => anchor.kind === "review")?.messages[0]?.markdown).toBe(
      "In general good.",
    );
  });

  it("says whether the request has conflicts, once the forge has computed it", async () => {
    const started = await startVendor(name);
    const { castle } = started;
    castle.hasConflicts = undefined;
    const review = await startPullReview(name, { started });
    const conflicts = async () => (await review.get<PullState>("/api/pr")).hasConflicts;
    expect(await conflicts()).toBeUndefined();
    castle.hasConflicts = true;
    // Bitbucket has no such member.
    expect(await conflicts()).toBe(name === "bitbucket" ? undefined : true);
  });

  it("posts what the preview shows, and nothing twice after a broken connection", async () => {
    const review = await startPullReview(name);
    const { castle, forge } = review;
    const existing = (await threadsOf(review)).find(({ anchor }) => anchor.kind === "lines");
    await comment(review, lines(30), "Too high");
    await comment(review, lines(9, 10), "Lower", { type: "suggestion", suggestedCode: "stone 9\nstone 10" });
    await comment(review, lines(30, 30, "old"), "It was fine");
    const outside = await comment(review, lines(50), "Outside of the diff");
    await review.page("POST", `/api/threads/${existing?.id}/messages`, { markdown: "I see." });
    await review.page("PATCH", `/api/threads/${existing?.id}`, { state: "resolved" });

    const shown = await preview(review, { verdict: "approve", body: "Well built." });
    expect(shown.kept.map(({ thread }) => thread)).toEqual([outside.id]);
    expect(shown.kept[0]?.reason).toContain("Line 50 of src/wall.txt is outside of the diff");
    expect(castle.own).toEqual([]);

    let writes = 0;
    forge.interfere = ({ method, url, json }) => {
      const isQuery = url.pathname.endsWith("/graphql") && !String(json["query"]).startsWith("mutation");
      if (method === "GET" || isQuery) return undefined;
      writes += 1;
      // The second write is carried out, and its response is lost.
      return writes === 2 ? "break" : undefined;
    };
    const failed = await review.page("POST", "/api/pr/post", { preview: shown.preview });
    expect(failed).toMatchObject({ status: 502 });
    const { status, body } = await review.page("POST", "/api/pr/post", { preview: shown.preview });
    expect({ status, kept: (body as PostResponse).kept }).toEqual({ status: 200, kept: shown.kept });
    const again = await review.page("POST", "/api/pr/post", { preview: shown.preview });
    expect(again.body).toEqual(body);

    const posted = castle.own.map(({ path, side, line, body: text }) => [
      path,
      side,
      line,
      text.split("\n")[0],
    ]);
    expect(posted.toSorted()).toEqual(
      [
        ["src/wall.txt", "new", 10, "I see."],
        ["src/wall.txt", "new", 10, "Lower"],
        ["src/wall.txt", "new", 30, "Too high"],
        ["src/wall.txt", "old", 30, "It was fine"],
        [undefined, "new", undefined, "Well built."],
      ].toSorted(),
    );
    expect(castle.own.find((one) => one.body.startsWith("Lower"))?.body).toMatch(
      /^Lower\n\n```suggestion(:-1\+0)?\nstone 9\nstone 10\n```$/,
    );
    expect(castle.threads[0]?.resolved).toBe(true);
    expect(castle.verdict?.toLowerCase()).toMatch(/^approved?$|^10$/);
    if (name === "github" || name === "gitlab") expect(castle.publications).toBe(1);
    // Posted items are recognized when the threads are read again: no item is left to post, and none is duplicated.
    expect((await preview(review, { verdict: "comment" })).items).toEqual([]);
    const texts = (await threadsOf(review)).flatMap(({ messages }) =>
      messages.map(({ markdown }) => markdown),
    );
    expect(texts.filter((text) => text === "Too high")).toHaveLength(1);
  });
});

describe("review pr", () => {
  it("keeps what is not posted for the next review of the request", async () => {
    const folder = await sandbox();
    const first = await startPullReview("github", { folder });
    await comment(first, lines(30), "Later");
    await first.page("POST", "/api/feedback", { feedback: "", annotations: [] });
    const { code, stdout } = await first.command.ended;
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `The person reviewed ${first.address} and posted nothing at GitHub.\n`,
    });
    const second = await startPullReview("github", { folder, started: first });
    expect((await preview(second, { verdict: "comment" })).items).toMatchObject([
      { kind: "comment", path: "src/wall.txt", lineEnd: 30, body: "Later" },
    ]);
  });

  it("finishes a post that another process began, without posting anything twice", async () => {
    const folder = await sandbox();
    const first = await startPullReview("github", { folder });
    await comment(first, lines(30), "Once");
    const { preview: id } = await preview(first, { verdict: "comment" });
    first.forge.interfere = ({ json }) =>
      String(json["query"]).includes("submitPullRequestReview") ? "break" : undefined;
    expect((await first.page("POST", "/api/pr/post", { preview: id })).status).toBe(502);
    first.command.child.kill("SIGKILL");
    await first.command.ended;
    first.forge.interfere = () => undefined;
    const second = await startPullReview("github", { folder, started: first });
    const shown = await preview(second, { verdict: "comment" });
    const { status, body } = await second.page("POST", "/api/pr/post", { preview: shown.preview });
    expect({ status, body }).toMatchObject({
      status: 409,
      body: { error: expect.stringContaining("was completed at") },
    });
    expect((await preview(second, { verdict: "comment" })).items).toEqual([]);
    expect(first.castle.own.map((one) => one.body)).toEqual(["Once"]);
  });

  it.each(["gitlab", "azure"] as const)("shows one commit of %s, and posts about the whole", async (name) => {
    const review = await startPullReview(name);
    const { commits } = await review.get<{ commits: readonly { sha: string }[] }>("/api/commits");
    const diffType = `commit:${commits[0]?.sha}`;
    expect((await review.page("POST", "/api/diff/switch", { diffType })).status).toBe(200);
    const { files } = await review.get<{ files: readonly { path: string }[] }>("/api/diff/index");
    expect(files.map(({ path }) => path)).toEqual(["src/wall.txt"]);
    expect((await review.page("POST", "/api/pr/preview", { verdict: "comment" })).status).toBe(400);
    expect((await review.page("POST", "/api/diff/switch", { diffType: "pull-request" })).status).toBe(200);
    expect((await review.page("POST", "/api/pr/preview", { verdict: "comment" })).status).toBe(200);
  });

  it.each(["gitlab", "azure"] as const)("posts the texts at %s if the verdict is refused", async (name) => {
    const review = await startPullReview(name);
    const { castle, forge } = review;
    await comment(review, lines(30), "Too high");
    const { preview: id } = await preview(review, { verdict: "approve" });
    forge.interfere = ({ method, url }) =>
      method !== "GET" && /\/approve$|\/reviewers\//.test(url.pathname)
        ? { status: name === "gitlab" ? 401 : 403, json: { message: "not allowed" } }
        : undefined;
    const { status, body } = await review.page("POST", "/api/pr/post", { preview: id });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { posted: 1, kept: [{ thread: "", reason: expect.not.stringContaining("sign-in") }] },
    });
    expect(castle.own.map((one) => one.body)).toEqual(["Too high"]);
    const alone = await preview(review, { verdict: "approve" });
    const refused = await review.page("POST", "/api/pr/post", { preview: alone.preview });
    expect(refused.status).toBeGreaterThanOrEqual(400);
  });

  it("reports that GitLab ignored the request for changes, with and without texts", async () => {
    const review = await startPullReview("gitlab");
    review.castle.ignoresRequestedChanges = true;
    const reason = expect.stringContaining('did not record "Request changes"');
    await comment(review, lines(30), "Too high");
    const { preview: id } = await preview(review, { verdict: "request_changes" });
    expect(await review.page("POST", "/api/pr/post", { preview: id })).toMatchObject({
      status: 200,
      body: { posted: 1, kept: [{ thread: "", reason }] },
    });
    expect(review.castle.own.map((one) => one.body)).toEqual(["Too high"]);
    expect(review.castle.verdict).toBeUndefined();
    expect((await review.get<PullState>("/api/pr")).posted).toMatchObject([{ verdict: "comment", count: 1 }]);

    const alone = await preview(review, { verdict: "request_changes" });
    const ignored = await review.page("POST", "/api/pr/post", { preview: alone.preview });
    expect(ignored).toMatchObject({ status: 409, body: { error: reason } });
    // Posting the same preview again sends the verdict again.
    review.castle.ignoresRequestedChanges = false;
    expect((await review.page("POST", "/api/pr/post", { preview: alone.preview })).status).toBe(200);
    expect(review.castle.verdict).toBe("requested_changes");
  });

  it("names the comparison with the merge base in threads at Azure DevOps", async () => {
    const review = await startPullReview("azure");
    await comment(review, lines(30), "Too high");
    const { preview: id } = await preview(review, { verdict: "comment" });
    await review.page("POST", "/api/pr/post", { preview: id });
    const posted = review.forge.calls.find(
      ({ method, url }) => method === "POST" && url.pathname.endsWith("/threads"),
    );
    expect(posted?.json["pullRequestThreadContext"]).toMatchObject({
      iterationContext: { firstComparingIteration: 2, secondComparingIteration: 2 },
    });
  });

  it("never sends a token to a host that the environment does not name", async () => {
    const { forge, address } = await startVendor("bitbucket");
    const environment = {
      ...forge.environment,
      BITBUCKET_TOKEN: TOKEN,
      GH_TOKEN: TOKEN,
      GITLAB_TOKEN: TOKEN,
    };
    const { code, stderr } = await (await startCommand(["review", "pr", address], { environment })).ended;
    expect(code).toBe(2);
    expect(stderr).toContain(`Not signed in to Bitbucket at ${forge.host}`);
    expect(forge.calls).toEqual([]);
  });

  it("stores no token", async () => {
    const review = await startPullReview("azure");
    await comment(review, lines(30), "Words");
    const { preview: id } = await preview(review, { verdict: "comment" });
    await review.page("POST", "/api/pr/post", { preview: id });
    const files = await readdir(review.command.folder, { recursive: true, withFileTypes: true });
    for (const file of files.filter((entry) => entry.isFile())) {
      const text = await readFile(join(file.parentPath, file.name), "utf8");
      expect(text).not.toContain(TOKEN);
      expect(text).not.toContain(Buffer.from(`:${TOKEN}`).toString("base64"));
    }
  });
});

describe("review pr at a GitLab server below a path of its host", () => {
  const started = () => startVendor("gitlab", { basePath: "/gitlab" });

  it("finds the server without a sign-in, and reads and posts there", async () => {
    const review = await startPullReview("gitlab", { started: await started() });
    expect(await review.get<PullState>("/api/pr")).toMatchObject({
      repository: "keep/castle",
      url: review.address,
      problems: [],
    });
    await comment(review, lines(30), "Too high");
    const { preview: id } = await preview(review, { verdict: "approve" });
    const { body } = await review.page("POST", "/api/pr/post", { preview: id });
    expect(body).toMatchObject({ url: review.address, posted: 2 });
    expect(review.castle.own.map((own) => own.body)).toEqual(["Too high"]);
    const { calls } = review.forge;
    const outside = calls.filter(({ url }) => !url.pathname.startsWith("/gitlab/api/v4/"));
    expect(outside.map(({ authorization }) => authorization)).toEqual([""]);
    expect(calls.filter(({ url }) => url.pathname.endsWith("/version"))).toHaveLength(2);
  });

  it.each([
    ["HTTPS", ({ origin }: RunningForge) => `${origin}/gitlab/keep/castle.git`, "/gitlab"],
    ["SSH", () => "ssh://git@localhost:2222/keep/castle.git", ""],
  ])("finds it by the remote of a clone over %s", async (_how, remoteOf, basePath) => {
    const { forge, environment } = await startVendor("gitlab", { basePath });
    const repository = await testRepository({});
    await repository.git("remote", "add", "origin", remoteOf(forge));
    const command = await startCommand(["review", "pr", "7", "--no-open"], {
      cwd: repository.root,
      environment,
    });
    const pull = await (await fetch(`${await command.url()}/api/pr`)).json();
    expect(pull).toMatchObject({ forge: "gitlab", repository: "keep/castle", number: 7 });
  });
});
