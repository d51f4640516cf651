import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { modSource } from "../../../src/agents/claude-code/mod-source.ts";

interface Chunk {
  readonly stream: "stdout" | "stderr";
  readonly text: string;
}

type Hook = (engine: object, event: object, next: Next) => unknown;
type Next = ((event: object) => unknown) & { signal?: AbortSignal };

/** A process that the mod has started, with the output that the test defines. */
class Child {
  readonly argv: readonly string[];
  isKilled = false;
  #chunks: Chunk[] = [];
  #wake: () => void = () => {};
  #code: number | undefined;

  constructor(argv: readonly string[]) {
    this.argv = argv;
  }

  print(stream: Chunk["stream"], text: string): void {
    this.#chunks.push({ stream, text });
    this.#wake();
  }

  exit(code: number): void {
    this.#code = code;
    this.#wake();
  }

  async next(): Promise<{ done: boolean; value: Chunk | { code: number } }> {
    for (;;) {
      const chunk = this.#chunks.shift();
      if (chunk) return { done: false, value: chunk };
      if (this.#code !== undefined) return { done: true, value: { code: this.#code } };
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async return(): Promise<object> {
    this.isKilled = true;
    this.exit(1);
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

/** The mod in a stand-in for Claude Code's engine. */
async function load({ surfaces = ["terminal"] }: { readonly surfaces?: readonly string[] } = {}) {
  const folder = await mkdtemp(join(tmpdir(), "sallyport-mod-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "register.mjs");
  await writeFile(file, modSource(["sallyport"]));
  const { register } = await import(pathToFileURL(file).href);
  const hooks = new Map<string, Hook>();
  register((event: string, matcher: unknown, hook?: Hook) => {
    hooks.set(event, hook ?? (matcher as Hook));
    return { catch: () => {} };
  });
  const children: Child[] = [];
  const submitted: string[] = [];
  const statuses: (string | undefined)[] = [];
  const ran: (readonly string[])[] = [];
  const engine = {
    command: { register: async () => {} },
    session: { surfaces: async () => surfaces },
    ui: { status: (text: string | undefined) => void statuses.push(text), log: () => {} },
    prompt: {
      submit: async ({ text }: { text: string }) => {
        submitted.push(text);
        return {};
      },
    },
    process: {
      spawn: ({ argv }: { argv: readonly string[] }) => {
        const child = new Child(argv);
        children.push(child);
        return child;
      },
      run: async (argv: readonly string[]) => {
        ran.push(argv);
        return { exitCode: 0, stdout: '{"id":"r1","url":"http://localhost:4711"}', stderr: "" };
      },
    },
  };
  const present = (plan: string, signal?: AbortSignal) => {
    const next: Next = () => "the dialog";
    if (signal) next.signal = signal;
    const event = { tool_name: "ExitPlanMode", tool_input: { plan } };
    return hooks.get("classic.PermissionRequest")?.(engine, event, next);
  };
  const command = (args: string) =>
    hooks.get("command.run")?.(engine, { command: "sallyport", args }, () => undefined);
  return { children, submitted, statuses, ran, present, command };
}

const REVIEW_LINE = "Review the plan at http://localhost:4711\n";
const decision = (value: object) => JSON.stringify({ hookSpecificOutput: { decision: value } });

describe("the mod for Claude Code", () => {
  it("denies the call with the URL, and sends a denial as a message", async () => {
    const { children, submitted, statuses, present } = await load();
    const response = present("# Plan");
    await expect.poll(() => children.length).toBe(1);
    expect(children[0]?.argv).toEqual(["sallyport", "review", "plan"]);
    children[0]?.print("stderr", REVIEW_LINE);
    expect(await response).toMatchObject({
      decision: { behavior: "deny", message: expect.stringContaining("http://localhost:4711") },
    });
    expect(statuses).toEqual(["plan review at http://localhost:4711"]);
    children[0]?.print("stdout", decision({ behavior: "deny", message: "Not there." }));
    children[0]?.exit(0);
    await expect.poll(() => submitted).toEqual(["Not there."]);
    expect(statuses.at(-1)).toBeUndefined();
  });

  it("lets an approved plan pass once, with the person's changes, and reviews a different one", async () => {
    const { children, submitted, present } = await load();
    const response = present("# Plan");
    await expect.poll(() => children.length).toBe(1);
    children[0]?.print("stderr", REVIEW_LINE);
    await response;
    const allow = { behavior: "allow", updatedInput: { plan: "# Edited" } };
    children[0]?.print("stdout", decision(allow));
    children[0]?.exit(0);
    await expect.poll(() => submitted.length).toBe(1);
    expect(submitted[0]).toMatch(/approved the plan.*# Edited$/s);
    expect(await present("# Plan")).toEqual({ decision: allow });
    void present("# Plan");
    await expect.poll(() => children.length).toBe(2);
  });

  it("ends the review of a plan that another plan replaces, without a message", async () => {
    const { children, submitted, present } = await load();
    const first = present("# One");
    await expect.poll(() => children.length).toBe(1);
    children[0]?.print("stderr", REVIEW_LINE);
    await first;
    const second = present("# Two");
    await expect.poll(() => children.length).toBe(2);
    expect(children[0]?.isKilled).toBe(true);
    children[1]?.print("stderr", REVIEW_LINE);
    await second;
    expect(submitted).toEqual([]);
  });

  it("leaves the plan to the dialog if the review does not start, or the plan is missing", async () => {
    const { children, present } = await load();
    const response = present("# Plan");
    await expect.poll(() => children.length).toBe(1);
    children[0]?.print("stderr", "sallyport: not found\n");
    children[0]?.exit(127);
    expect(await response).toBe("the dialog");
    expect(await present(" ")).toBe("the dialog");
    expect(children.length).toBe(1);
  });

  it("ends the review if the person answers in the dialog before the page is open", async () => {
    const { children, present } = await load();
    const turn = new AbortController();
    const response = present("# Plan", turn.signal);
    await expect.poll(() => children.length).toBe(1);
    turn.abort();
    expect(await response).toBe("the dialog");
    expect(children[0]?.isKilled).toBe(true);
  });

  it("waits for the decision in a session without a surface", async () => {
    const { children, submitted, present } = await load({ surfaces: [] });
    const response = present("# Plan");
    await expect.poll(() => children.length).toBe(1);
    children[0]?.print("stderr", REVIEW_LINE);
    children[0]?.print("stdout", decision({ behavior: "deny", message: "No." }));
    children[0]?.exit(0);
    expect(await response).toEqual({ decision: { behavior: "deny", message: "No." } });
    expect(submitted).toEqual([]);
  });

  it("opens a diff by its command, follows it once, and sends each batch with the steps", async () => {
    const { children, submitted, statuses, ran, command } = await load();
    expect(await command("src  docs")).toMatchObject({
      text: expect.stringContaining("http://localhost:4711"),
      isTextDisplayOnly: true,
    });
    expect(ran[0]?.slice(-2)).toEqual(["src", "docs"]);
    await command("");
    await expect.poll(() => children.length).toBe(1);
    expect(statuses).toEqual(["review at http://localhost:4711"]);
    children[0]?.print("stdout", '{"event":"feedback","threads":[{}],"feedback":""}');
    children[0]?.exit(0);
    await expect.poll(() => children.length).toBe(2);
    expect(children[1]?.argv).toEqual(["sallyport", "review", "wait", "--id", "r1", "--again"]);
    children[1]?.print("stdout", "Thread `t_1`: rename it.");
    children[1]?.exit(0);
    await expect.poll(() => submitted.length).toBe(1);
    expect(submitted[0]).toMatch(/^Thread `t_1`: rename it\..*sallyport review reply THREAD --id r1/s);
    await expect.poll(() => children.length).toBe(3);
    children[2]?.print("stdout", '{"event":"ended","threads":[],"feedback":""}');
    children[2]?.exit(0);
    await expect.poll(() => statuses.at(-1)).toBeUndefined();
    expect(submitted.length).toBe(1);
  });
});
