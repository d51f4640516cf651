import { rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { DiffIndex, DiffRounds, DiffSizes, DiffState } from "../../../src/review/api-types.ts";
import { codeServer } from "../../support/code-server.ts";
import { JPEG, PNG, WEBP } from "../../support/images.ts";
import { type TestRepository, testRepository } from "../../support/test-repository.ts";

async function changed(): Promise<TestRepository> {
  const repository = await testRepository({
    "src/a.ts": "one\ntwo\nthree\n",
    "b.txt": "b\n",
    "c.txt": "c c\n",
  });
  await repository.write({
    "src/a.ts": "one\nzwei\nthree\n",
    "b.txt": "größe\n",
    "c.txt": "c  c\n",
    "new.txt": "new\n",
  });
  return repository;
}

describe("GET /api/diff", () => {
  it("returns the whole diff and its git context", async () => {
    const server = await codeServer(await changed());
    const body: DiffState = (await server.get("/api/diff")).json();
    expect(body).toMatchObject({
      gitRef: "HEAD",
      origin: "origin_b",
      diffType: "uncommitted",
      sharingEnabled: true,
      gitContext: { currentBranch: "main", defaultBranch: "main" },
    });
    expect(body.rawPatch.match(/^diff --git /gm)).toHaveLength(4);
    expect(body.rawPatch).toContain("+größe\n");
  });

  it("returns git's message if the diff fails, and works afterwards", async () => {
    const repository = await changed();
    const blob = (await repository.git("rev-parse", "HEAD:b.txt")).trim();
    await rm(join(repository.root, ".git", "objects", blob.slice(0, 2), blob.slice(2)));
    const server = await codeServer(repository);
    const failed = await server.get("/api/diff");
    expect(failed.statusCode).toBe(500);
    expect(failed.json().error).toMatch(/^git diff failed: /);
    expect((await server.post("/api/diff/switch", { diffType: "staged" })).statusCode).toBe(200);
    expect((await server.get("/api/diff")).json().diffType).toBe("staged");
  });
});

describe("a diff that cannot be stored", () => {
  it("is a failure with the folder, the reason and the remedy", async () => {
    const repository = await testRepository({ "a.txt": "old\n" });
    await repository.write({ "a.txt": "new\n" });
    const { get } = await codeServer(repository);
    vi.stubEnv("TMPDIR", join(repository.outside, "missing"));
    onTestFinished(() => void vi.unstubAllEnvs());
    const failed = await get("/api/diff");
    expect(failed.statusCode).toBe(500);
    expect(failed.json().error).toMatch(
      /^Cannot store the diff in .*missing: .*(ENOENT|does not exist|no such).*set TMPDIR to another folder/i,
    );
    vi.unstubAllEnvs();
    expect((await get("/api/diff")).json().rawPatch).toContain("+new");
  });
});

describe("POST /api/diff/switch", () => {
  it("switches to another diff, unless that fails", async () => {
    const server = await codeServer(await changed());
    const response = (await server.post("/api/diff/switch", { diffType: "last-commit" })).json();
    expect(response).toMatchObject({ gitRef: "HEAD", diffType: "last-commit" });
    expect((await server.get("/api/diff")).json().rawPatch).toBe(response.rawPatch);
    for (const [body, error] of [
      [{ diffType: "nonsense" }, /^Unknown diffType/],
      [{}, /^Missing diffType$/],
      [{ diffType: 5 }, /^Missing diffType$/],
      [["last-commit"], /^Missing diffType$/],
    ] as const) {
      const refused = await server.post("/api/diff/switch", body);
      expect(refused.statusCode).toBe(400);
      expect(refused.json().error).toMatch(error);
    }
    expect((await server.get("/api/diff")).json().diffType).toBe("last-commit");
  });

  it.each([
    ["nothing at all", {}],
    ["nothing, as JSON", { payload: "", type: "application/json" }],
    ["its name alone", { payload: "last-commit", type: "text/plain" }],
  ])(
    "misses the type in a switch that sends %s",
    async (_what, sent: { payload?: string; type?: string }) => {
      const { app } = await codeServer(await changed());
      const response = await app.inject({
        method: "POST",
        url: "/api/diff/switch",
        headers: { host: "localhost", ...(sent.type && { "content-type": sent.type }) },
        ...(sent.payload !== undefined && { payload: sent.payload }),
      });
      expect([response.statusCode, response.json()]).toEqual([400, { error: "Missing diffType" }]);
    },
  );

  it("omits the patch for a page that fetches single files", async () => {
    const server = await codeServer(await changed());
    const response = await server.post("/api/diff/switch", { diffType: "uncommitted", patch: false });
    expect(response.json()).toEqual({ rawPatch: "", gitRef: "HEAD", diffType: "uncommitted" });
  });

  it("returns each of several concurrent requests its own diff", async () => {
    const server = await codeServer(await changed());
    const types = ["uncommitted", "staged", "last-commit", "unstaged"];
    const one = await Promise.all(types.map((diffType) => server.post("/api/diff/switch", { diffType })));
    const many = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        server.post("/api/diff/switch", { diffType: types[index % 4] }),
      ),
    );
    many.forEach((response, index) => {
      expect(response.json()).toEqual(one[index % 4]?.json());
    });
  });
});

describe("GET /api/diff/index and /api/diff/patch", () => {
  it("return the diff in two steps: the list of files, then the requested text", async () => {
    const server = await codeServer(await changed());
    const index: DiffIndex = (await server.get("/api/diff/index")).json();
    expect(index.files.map(({ path, additions, deletions }) => [path, additions, deletions])).toEqual([
      ["b.txt", 1, 1],
      ["c.txt", 1, 1],
      ["src/a.ts", 1, 1],
      ["new.txt", 1, 0],
    ]);
    expect(index).toMatchObject({ repository: { name: "repo" }, sessionId: "session-1" });
    expect(Object.keys(index.files[0] ?? {})).not.toContain("section");

    const whole: DiffState = (await server.get("/api/diff")).json();
    const all = await server.get(`/api/diff/patch?n=0-3&id=${index.diffId}`);
    expect(all.headers["content-type"]).toBe("text/plain; charset=utf-8");
    expect(all.body).toBe(whole.rawPatch);
    const some = await server.get("/api/diff/patch?n=2,0");
    expect(some.rawPayload).toHaveLength((index.files[2]?.patchSize ?? 0) + (index.files[0]?.patchSize ?? 0));
    expect(some.body.match(/^diff --git .*/gm)).toEqual([
      "diff --git a/src/a.ts b/src/a.ts",
      "diff --git a/b.txt b/b.txt",
    ]);
    expect((await server.get("/api/diff/patch?n=0-9999")).body).toBe(whole.rawPatch);
  });

  it("include the first small files with the index, in tree order", async () => {
    const repository = await testRepository({ "z.txt": "z\n" });
    const long = `${"x".repeat(99)}\n`.repeat(700);
    await repository.write({
      "z.txt": "Z\n",
      "a.txt": "ä\n",
      "b/large.txt": long,
      "b/c/one.txt": "1\n",
      "b-c/two.txt": "2\n",
    });
    const server = await codeServer(repository);
    const index: DiffIndex = (await server.get("/api/diff/index")).json();
    const opening = index.opening.map(({ index: at }) => index.files[at]?.path);
    expect(opening).toEqual(["b-c/two.txt", "b/c/one.txt"]);
    await repository.write({ "b/large.txt": "small\n" });
    await server.post("/api/diff/switch", { diffType: "uncommitted" });
    const { opening: all, files }: DiffIndex = (await server.get("/api/diff/index")).json();
    expect(all.map(({ index: at }) => files[at]?.path)).toEqual([
      "b-c/two.txt",
      "b/c/one.txt",
      "b/large.txt",
      "a.txt",
      "z.txt",
    ]);
    for (const { index: at, patch } of all) {
      expect((await server.get(`/api/diff/patch?n=${at}`)).body).toBe(patch);
    }
  });

  it("omit whitespace changes with w=1", async () => {
    const server = await codeServer(await changed());
    const index: DiffIndex = (await server.get("/api/diff/index?w=1")).json();
    expect(index.files.map(({ path }) => path)).toEqual(["b.txt", "src/a.ts", "new.txt"]);
    expect((await server.get("/api/diff/patch?n=2&w=1")).body).toContain("+new\n");
  });

  it("reject invalid numbers and the id of another diff", async () => {
    const server = await codeServer(await changed());
    for (const n of ["", "x", "-1", "3-1", "1,,2", "0-3,0-3"]) {
      expect((await server.get(`/api/diff/patch?n=${n}`)).statusCode).toBe(400);
    }
    expect((await server.get("/api/diff/patch?n=4")).statusCode).toBe(404);
    expect((await server.get("/api/diff/patch")).statusCode).toBe(400);
    expect((await server.get("/api/diff/patch?n=0&id=other")).statusCode).toBe(409);
  });
});

describe("GET /api/file", () => {
  it("returns one side's text, inside the repository only", async () => {
    const repository = await changed();
    const server = await codeServer(repository);
    await writeFile(join(repository.outside, "secret.txt"), "secret\n");
    expect((await server.get("/api/file?path=b.txt&side=new")).json()).toEqual({
      path: "b.txt",
      side: "new",
      text: "größe\n",
    });
    expect((await server.get("/api/file?path=new.txt&side=old")).statusCode).toBe(404);
    expect((await server.get("/api/file?path=..%2Fsecret.txt&side=new")).statusCode).toBe(404);
    expect((await server.get("/api/file?path=b.txt&side=both")).statusCode).toBe(400);
    expect((await server.get("/api/file?side=new")).statusCode).toBe(400);
  });
});

describe("the routes of one side of a file", () => {
  it.each(["/api/file?path=b.txt", "/api/diff/image?path=a.png"])(
    "reject a request for the diff before a switch: %s",
    async (url) => {
      const repository = await testRepository({ "a.png": PNG, "b.txt": "old\n" });
      await repository.write({ "a.png": WEBP, "b.txt": "new  line\n" });
      const server = await codeServer(repository);
      const query = async (w = "") => {
        const { diffId } = (await server.get(`/api/diff/index?${w}`)).json<DiffIndex>();
        return `${url}&side=new&id=${diffId}&${w}`;
      };
      const [shown, spaceless] = [await query(), await query("w=1")];
      expect((await server.get(shown)).statusCode).toBe(200);
      expect((await server.get(spaceless)).statusCode).toBe(200);
      await server.post("/api/diff/switch", { diffType: "staged" });
      expect((await server.get(shown)).statusCode).toBe(409);
      expect((await server.get(spaceless)).statusCode).toBe(409);
    },
  );
});

describe("GET /api/diff/image", () => {
  it("returns the image before and after, and no other file", async () => {
    const repository = await testRepository({ "a.png": PNG, "b.png": PNG, "fake.png": Buffer.from([0, 1]) });
    await repository.write({ "a.png": WEBP, "fake.png": Buffer.from([0, 2]), "new.jpg": JPEG });
    await repository.git("rm", "--quiet", "b.png");
    const server = await codeServer(repository);
    const image = async (path: string, side: string) => {
      const { statusCode, headers, rawPayload } = await server.get(
        `/api/diff/image?path=${path}&side=${side}`,
      );
      return statusCode === 200 ? [headers["content-type"], rawPayload] : statusCode;
    };
    expect(await image("a.png", "old")).toEqual(["image/png", PNG]);
    expect(await image("a.png", "new")).toEqual(["image/webp", WEBP]);
    expect(await image("b.png", "old")).toEqual(["image/png", PNG]);
    expect(await image("b.png", "new")).toBe(404);
    expect(await image("new.jpg", "new")).toEqual(["image/jpeg", JPEG]);
    expect(await image("new.jpg", "old")).toBe(404);
    expect(await image("fake.png", "old")).toBe(400);
    expect(await image("fake.png", "new")).toBe(400);
    expect(await image("unchanged.png", "new")).toBe(404);
    expect(await image("..%2Fa.png", "new")).toBe(404);
  });
});

describe("GET /api/diff/sizes", () => {
  const binary = (length: number) => Buffer.concat([Buffer.from([0]), Buffer.alloc(length - 1, 7)]);

  it("returns the sizes of binary files on both sides, from git or the working tree", async () => {
    const repository = await testRepository({
      "a.bin": binary(12_400),
      "gone.bin": binary(5),
      "kept name.bin": binary(3_000),
      "text.txt": "old\n",
    });
    await repository.git("rm", "--quiet", "gone.bin");
    await repository.git("mv", "kept name.bin", "new\nname.bin");
    await repository.write({ "a.bin": binary(13_100), "fresh.bin": binary(1), "text.txt": "new\n" });
    const server = await codeServer(repository);
    const index: DiffIndex = (await server.get("/api/diff/index")).json();
    const { diffId, files }: DiffSizes = (await server.get(`/api/diff/sizes?id=${index.diffId}`)).json();
    expect(diffId).toBe(index.diffId);
    const byPath = Object.fromEntries(files.map((file) => [index.files[file.index]?.path, file]));
    expect(byPath).toMatchObject({
      "a.bin": { old: 12_400, new: 13_100 },
      "gone.bin": { old: 5 },
      "fresh.bin": { new: 1 },
    });
    expect(byPath["gone.bin"]).not.toHaveProperty("new");
    expect(byPath["fresh.bin"]).not.toHaveProperty("old");
    expect(byPath).not.toHaveProperty("text.txt");
    expect((await server.get("/api/diff/sizes?id=0")).statusCode).toBe(409);
  });

  it("does not follow a link out of the repository", async () => {
    const repository = await testRepository({ "a/b.bin": binary(10) });
    await repository.write({ "a/b.bin": binary(20) });
    const server = await codeServer(repository);
    const index: DiffIndex = (await server.get("/api/diff/index")).json();
    await rm(join(repository.root, "a"), { recursive: true });
    await repository.write({ "../elsewhere/b.bin": binary(30) });
    await symlink(join(repository.root, "../elsewhere"), join(repository.root, "a"));
    const { files }: DiffSizes = (await server.get(`/api/diff/sizes?id=${index.diffId}`)).json();
    expect(files).toEqual([{ index: 0, old: 10 }]);
  });
});

describe("POST /api/feedback", () => {
  const note = {
    id: "1",
    type: "comment",
    filePath: "src/a.ts",
    lineStart: 2,
    lineEnd: 2,
    side: "new",
    text: "why?",
  };

  it("ends the review and quotes the code as the person saw it", async () => {
    const repository = await changed();
    const server = await codeServer(repository);
    await server.get("/api/diff");
    await repository.write({ "src/a.ts": "rewritten meanwhile\n" });
    const old = { ...note, id: "2", side: "old" };
    expect((await server.post("/api/feedback", { annotations: [note, old] })).json()).toEqual({ ok: true });
    const outcome = await server.context.session.outcome;
    if (outcome.kind !== "decided" || outcome.decision.kind !== "feedback") throw new Error("not decided");
    expect(outcome.decision.annotations).toEqual([note, old]);
    expect(outcome.decision.text).toContain("zwei");
    expect(outcome.decision.text).toContain("two");
    expect(outcome.decision.text).not.toContain("rewritten");
    expect((await server.post("/api/feedback", {})).statusCode).toBe(409);
  });

  it("passes a complete text on unchanged", async () => {
    const server = await codeServer(await changed());
    const feedback = "# All of it\n\nwhy? in src/a.ts\n";
    await server.post("/api/feedback", { feedback, annotations: [note], complete: true });
    expect(await server.context.session.outcome).toMatchObject({
      decision: { text: feedback, annotations: [note] },
    });
  });

  it("rejects invalid bodies without a decision", async () => {
    const server = await codeServer(await changed());
    for (const body of [
      { feedback: 5 },
      { annotations: { 0: note } },
      { annotations: [{ ...note, type: "praise" }] },
      { annotations: [{ ...note, side: "both" }] },
      { annotations: [{ ...note, lineStart: "2" }] },
      { annotations: [{ ...note, lineEnd: -1 }] },
      { annotations: [note, { ...note, id: undefined }] },
      { agentSwitch: 1 },
      [],
    ]) {
      expect((await server.post("/api/feedback", body)).statusCode).toBe(400);
    }
    expect(server.context.session.phase).toBe("waiting");
  });

  it("switches only to a listed agent, if the caller supports it", async () => {
    const repository = await changed();
    const agents = [{ name: "build", mode: "primary" }];
    const b = await codeServer(repository, { agents });
    expect((await b.post("/api/feedback", { agentSwitch: "other" })).statusCode).toBe(400);
    expect((await b.post("/api/feedback", { agentSwitch: "build" })).json()).toEqual({ ok: true });
    const a = await codeServer(repository, { origin: "origin_a" });
    const response = (await a.post("/api/feedback", { agentSwitch: "build" })).json();
    expect(response).toMatchObject({ ok: true, warnings: [expect.stringContaining("agentSwitch")] });
  });

  it("lets the next round distinguish new from seen lines and find the annotated lines", async () => {
    const text = (lines: readonly string[]) => `${lines.join("\n")}\n`;
    const before = ["a", "b", "c", "d", "e", "f"];
    const repository = await testRepository({ "x.ts": text(before), "y.ts": "1\n2\n3\n" });
    await repository.write({ "x.ts": text(["a", "B", "c", "d", "e", "F"]), "y.ts": "1\ntwo\n3\n" });
    const first = await codeServer(repository);
    const on = (id: string, filePath: string, line: number) => {
      return { ...note, id, filePath, lineStart: line, lineEnd: line };
    };
    await first.post("/api/feedback", { annotations: [on("F", "x.ts", 6), on("two", "y.ts", 2)] });

    await repository.write({ "x.ts": text(["new", "a", "B", "c", "D", "e", "F"]), "y.ts": "1\nzwei\n3\n" });
    const second = await codeServer(repository);
    const index: DiffIndex = (await second.get("/api/diff/index")).json();
    const { since }: DiffRounds = (await second.get("/api/diff/rounds")).json();
    expect(since).toEqual({
      diffId: index.diffId,
      comparedWith: 1,
      files: [
        { path: "x.ts", old: [4], new: [1, 5] },
        { path: "y.ts", old: [], new: [2] },
      ],
      places: [{ id: "F", lineStart: 7, lineEnd: 7 }],
    });
  });

  it("marks a suggestion as applied, even if other lines moved", async () => {
    const repository = await testRepository({ "x.ts": "a\nb\nc\n" });
    await repository.write({ "x.ts": "a\nB\nc\n" });
    const suggestion = { ...note, id: "s", filePath: "x.ts", lineStart: 2, lineEnd: 2, type: "suggestion" };
    const annotations = [
      { ...suggestion, suggestedCode: "better\nB" },
      { ...suggestion, id: "ignored", lineStart: 3, lineEnd: 3, suggestedCode: "never" },
    ];
    await (await codeServer(repository)).post("/api/feedback", { annotations });
    await repository.write({ "x.ts": "top\na\nbetter\nB\nchanged\n" });
    const { since }: DiffRounds = (await (await codeServer(repository)).get("/api/diff/rounds")).json();
    expect(since?.places).toEqual([{ id: "s", lineStart: 3, lineEnd: 4, applied: true }]);
    await repository.write({ "x.ts": "top\na\nB!\nnever\n" });
    const later: DiffRounds = (await (await codeServer(repository)).get("/api/diff/rounds")).json();
    expect(later.since?.places).toEqual([{ id: "ignored", lineStart: 4, lineEnd: 4, applied: true }]);
  });

  it("is compared only with feedback on the same diff, of the same paths", async () => {
    const repository = await testRepository({ "x.ts": "1\n2\n", "sub/y.ts": "1\n" });
    await repository.write({ "x.ts": "1\n2\n3\n", "sub/y.ts": "1\n2\n" });
    const sinceOn = async (server: Awaited<ReturnType<typeof codeServer>>, diffType?: string) => {
      if (diffType) await server.post("/api/diff/switch", { diffType });
      const { since }: DiffRounds = (await server.get("/api/diff/rounds")).json();
      return since;
    };
    await (await codeServer(repository)).post("/api/feedback", { feedback: "on what is uncommitted" });
    const second = await codeServer(repository);
    expect(await sinceOn(second)).toMatchObject({ comparedWith: 1 });
    const other = await sinceOn(second, "last-commit");
    expect(other).toMatchObject({ files: [] });
    expect(other).not.toHaveProperty("comparedWith");
    await second.post("/api/feedback", { feedback: "on the last commit" });

    // Feedback on another diff in between does not affect the state of this one.
    await repository.write({ "x.ts": "1\n2\n3\n4\n" });
    const third = await codeServer(repository);
    expect(await sinceOn(third)).toMatchObject({
      comparedWith: 1,
      files: [{ path: "x.ts", old: [], new: [4] }],
    });
    const limited = await codeServer(repository, { paths: ["sub"] });
    expect(await sinceOn(limited)).not.toHaveProperty("comparedWith");
  });

  it("is stored for the branch's next round with the diff and the feedback", async () => {
    const repository = await changed();
    const first = await codeServer(repository);
    expect((await first.get("/api/diff/rounds")).json()).toEqual({ rounds: [] });
    const { files }: DiffIndex = (await first.get("/api/diff/index")).json();
    await first.post("/api/feedback", { feedback: "hm", annotations: [note] });

    await repository.write({ "b.txt": "größer\n" });
    const second = await codeServer(repository);
    const { rounds } = (await second.get("/api/diff/rounds")).json();
    expect(rounds).toMatchObject([
      { round: 1, diffType: "uncommitted", gitRef: "HEAD", annotations: [{ ...note, code: "zwei" }] },
    ]);
    expect(rounds[0].files).toEqual(files.map(({ path, fingerprint }) => ({ path, fingerprint })));
    const now: DiffIndex = (await second.get("/api/diff/index")).json();
    const seen = new Map<string, string>(
      rounds[0].files.map((file: DiffIndex["files"][0]) => [file.path, file.fingerprint]),
    );
    expect(
      now.files.filter(({ path, fingerprint }) => seen.get(path) !== fingerprint).map(({ path }) => path),
    ).toEqual(["b.txt"]);

    expect(rounds[0].files).not.toContainEqual(expect.objectContaining({ lines: expect.anything() }));

    await repository.git("checkout", "--quiet", "-b", "other");
    const elsewhere = await codeServer(repository);
    expect((await elsewhere.get("/api/diff/rounds")).json()).toEqual({ rounds: [] });
  });
});
