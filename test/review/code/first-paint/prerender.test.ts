import { describe, expect, it, onTestFinished } from "vitest";
import { createTopRenderer } from "../../../../src/review/code/first-paint/prerender.ts";
import type { DiffSession } from "../../../../src/review/diff-session.ts";
import { createDiffSession } from "../../../../src/review/git/diff-session.ts";
import { type TestRepository, testRepository } from "../../../support/test-repository.ts";

const options = { layout: "split", wrap: true, tabWidth: 4 } as const;
const names = (count: number) => Array.from({ length: count }, (_, index) => `src/file${index + 10}.ts`);
const files = (count: number, content: string) =>
  Object.fromEntries(names(count).map((name) => [name, content]));

async function changedFiles(count: number): Promise<TestRepository> {
  const repository = await testRepository(files(count, "one();\n"));
  await repository.write(files(count, "two();\n"));
  return repository;
}

interface DelayedSession {
  readonly session: DiffSession;
  /** Number of parts taken. */
  readonly parts: () => number;
  /** Makes the whole diff available. */
  readonly release: () => void;
}

/** Creates a session whose whole diff is not available before `release`. */
async function createDelayedSession(repository: TestRepository): Promise<DelayedSession> {
  const session = createDiffSession(await repository.open());
  onTestFinished(() => session.close());
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let parts = 0;
  return {
    session: {
      ...session,
      current: async (ignoreSpace) => {
        await released;
        return session.current(ignoreSpace);
      },
      part: (choose) => {
        parts += 1;
        return session.part(choose);
      },
    },
    parts: () => parts,
    release,
  };
}

const shownNames = (html: string) =>
  [...html.matchAll(/file-name">([^<]*)</g)].map(([, name]) => `src/${name}`);

describe("the prerendered top of a diff that git is still comparing", () => {
  it("has the first files, untracked ones included, and is rendered once", async () => {
    const repository = await changedFiles(40);
    await repository.write({ "src/a-new-one.ts": "fresh();\n", "later.txt": "later\n" });
    const { session, parts } = await createDelayedSession(repository);
    const render = createTopRenderer(session);
    const [view, again] = await Promise.all([render(options), render(options)]);
    expect(view.branch).toBe("main");
    expect(again).toBe(view);
    expect(shownNames(view.html)).toEqual(["src/a-new-one.ts", ...names(11)]);
    expect(view.html).toContain("t-function");
    expect(await render(options)).toBe(view);
    expect(parts()).toBe(1);
    expect((await render({ ...options, layout: "unified" })).html).toContain("row unified");
  });

  it("is replaced by that of the whole diff, which begins with the same files", async () => {
    const { session, release } = await createDelayedSession(await changedFiles(40));
    const render = createTopRenderer(session);
    const top = shownNames((await render(options)).html);
    release();
    await expect
      .poll(async () => shownNames((await render(options)).html).length)
      .toBeGreaterThan(top.length);
    expect(shownNames((await render(options)).html).slice(0, top.length)).toEqual(top);
  });

  it("waits for the whole diff if it has few files", async () => {
    const { session, parts, release } = await createDelayedSession(await changedFiles(20));
    const view = createTopRenderer(session)(options);
    await expect.poll(parts).toBe(1);
    release();
    expect(shownNames((await view).html)).toEqual(names(20));
  });

  it("waits for the whole diff if its top cannot be taken", async () => {
    const { session, release } = await createDelayedSession(await changedFiles(40));
    const fails = async () => {
      release();
      throw new Error("busy");
    };
    const view = await createTopRenderer({ ...session, part: fails })(options);
    expect(shownNames(view.html).length).toBeGreaterThan(12);
  });

  it("fails if the whole diff fails", async () => {
    const { session } = await createDelayedSession(await changedFiles(40));
    const fails = async () => Promise.reject(new Error("no git any more"));
    await expect(createTopRenderer({ ...session, current: fails })(options)).rejects.toThrow(
      "no git any more",
    );
  });
});
