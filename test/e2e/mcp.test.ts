import { execFileSync } from "node:child_process";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { COMMAND, sandbox } from "../support/spawned-command.ts";

/** `sallyport mcp` as a client of the official SDK uses it. */

const opened = z.object({ id: z.string(), url: z.string(), file: z.string().optional() });
const thread = z.object({
  id: z.string(),
  state: z.string(),
  type: z.string(),
  severity: z.string().nullable(),
  messages: z.array(
    z.object({ markdown: z.string(), author: z.object({ kind: z.string(), name: z.string() }) }),
  ),
});
const batch = z.object({
  event: z.string().nullable(),
  feedback: z.string().optional(),
  threads: z.array(thread).optional(),
});

const started = Symbol("started");

async function connect(
  folder: string,
  name = "test-agent",
  { cwd = join(folder, "project"), root }: { readonly cwd?: string; readonly root?: string } = {},
) {
  const client = new Client(
    { name, version: "1.0.0" },
    { capabilities: root === undefined ? {} : { roots: {} } },
  );
  if (root !== undefined)
    client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: pathToFileURL(root).href }] }));
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [COMMAND, "mcp"],
    cwd,
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: join(folder, "home"),
      SERVICE_HOME: join(folder, "data"),
      SERVICE_BROWSER: "none",
    },
    stderr: "ignore",
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  const call = async (tool: string, args: Record<string, unknown> = {}, options = {}) => {
    const result = await client.callTool({ name: tool, arguments: args }, undefined, options);
    if (result.isError) throw new Error(JSON.stringify(result.content));
    return result.structuredContent;
  };
  return { client, call };
}

/** A repository with one changed file. */
async function project(): Promise<string> {
  const folder = await sandbox();
  const git = (...args: string[]) => execFileSync("git", args, { cwd: join(folder, "project") });
  git("init", "-q");
  await writeFile(join(folder, "project", "a.ts"), "export const a = 1;\nexport const b = 2;\n");
  onTestFinished(() => killReviews(folder));
  return folder;
}

/** Ends the reviews, which continue after their client has ended. */
async function killReviews(folder: string): Promise<void> {
  const running = join(folder, "data", "running");
  for (const name of await readdir(running).catch(() => [])) {
    try {
      process.kill(JSON.parse(await readFile(join(running, name), "utf8")).pid, "SIGKILL");
    } catch {
      // The process has already ended.
    }
  }
}

async function asPerson(url: string, path: string, body: object, method = "POST"): Promise<unknown> {
  const headers = { origin: url, "content-type": "application/json" };
  const response = await fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) });
  expect(response.status, path).toBe(200);
  return response.json();
}

const threadsAt = async (url: string) =>
  z.object({ threads: z.array(thread) }).parse(await (await fetch(`${url}/api/threads`)).json()).threads;

describe("sallyport mcp", () => {
  it("offers the seven tools with descriptions and schemas", async () => {
    const { client } = await connect(await project());
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      ...["review_code", "review_plan", "wait_for_feedback", "add_finding", "reply", "refresh", "end_review"],
    ]);
    for (const { description, inputSchema } of tools) {
      expect(description).toMatch(/\.$/);
      expect(inputSchema.type).toBe("object");
    }
  });

  it("carries two rounds of a diff: finding, feedback, reply, refresh, approval", async () => {
    const folder = await project();
    const { client, call } = await connect(folder);
    const { id, url } = opened.parse(await call("review_code"));
    const finding = thread.parse(
      await call("add_finding", { id, path: "a.ts", lineStart: 2, markdown: "Unused.", severity: "warning" }),
    );
    expect(finding).toMatchObject({ type: "finding", severity: "warning" });
    expect(finding.messages[0]?.author).toEqual({ kind: "agent", name: "test-agent" });
    expect(await call("wait_for_feedback", { id, timeout: 0 })).toEqual({ event: null });

    const waiting = client.callTool({ name: "wait_for_feedback", arguments: { id } });
    await asPerson(url, `/api/threads/${finding.id}`, { accepted: true }, "PATCH");
    await asPerson(url, "/api/send", { feedback: "Remove it." });
    const { structuredContent, content } = await waiting;
    const first = batch.parse(structuredContent);
    expect(first).toMatchObject({ event: "feedback", feedback: "Remove it.", threads: [{ id: finding.id }] });
    expect(JSON.stringify(content)).toContain("Reply with the tool `reply`");
    expect(JSON.stringify(content)).not.toContain("sallyport review");
    await call("reply", { id, thread: finding.id, markdown: "Removed.", resolve: true });
    await writeFile(join(folder, "project", "a.ts"), "export const a = 1;\n");
    expect(await call("refresh", { id })).toEqual({ ok: true, round: 2 });
    expect(await threadsAt(url)).toMatchObject([
      { state: "resolved", messages: [{}, { markdown: "Removed." }] },
    ]);

    const last = call("wait_for_feedback", { id });
    await asPerson(url, "/api/finish", { approved: true });
    expect(batch.parse(await last).event).toBe("approved");
  });

  it("reviews the given directory, else the client's first root, wherever it was started", async () => {
    const folder = await project();
    const diffOf = async (url: string) =>
      ((await (await fetch(`${url}/api/diff`)).json()) as { rawPatch: string }).rawPatch;
    const elsewhere = await connect(folder, "elsewhere", { cwd: folder });
    const given = opened.parse(await elsewhere.call("review_code", { directory: join(folder, "project") }));
    expect(await diffOf(given.url)).toContain("export const a = 1;");
    await expect(elsewhere.call("review_code", { directory: "project" })).rejects.toThrow("absolute path");

    const rooted = await connect(folder, "rooted", { cwd: folder, root: join(folder, "project") });
    const byRoot = opened.parse(await rooted.call("review_code"));
    expect(await diffOf(byRoot.url)).toContain("export const a = 1;");
  });

  it("shows each save of a plan's file as a round", async () => {
    const { call } = await connect(await project());
    const { url, file = "" } = opened.parse(await call("review_plan", { plan: "# One\n" }));
    await writeFile(file, "# Two\n");
    const plan = async () => (await (await fetch(`${url}/api/plan`)).json()) as { plan: string };
    await expect.poll(async () => (await plan()).plan).toBe("# Two\n");
  });

  it("shows a revised plan in the review that is open, and only in a plan's", async () => {
    const folder = await project();
    // A review resolves the links in the path of its plan.
    await mkdir(join(folder, "elsewhere"));
    await symlink(join(folder, "elsewhere"), join(folder, "data"));
    const { call } = await connect(folder);
    const { id, url } = opened.parse(await call("review_plan", { plan: "# One\n" }));
    await asPerson(url, "/api/send", { feedback: "Shorter." });
    expect(batch.parse(await call("wait_for_feedback", { id })).feedback).toBe("Shorter.");
    const revised = opened.parse(await call("review_plan", { id, plan: "# Two «ß»\n" }));
    expect(revised).toMatchObject({ id, url });
    const shown = (await (await fetch(`${url}/api/plan`)).json()) as { plan: string };
    expect(shown.plan).toBe("# Two «ß»\n");
    const code = opened.parse(await call("review_code"));
    await expect(call("review_plan", { id: code.id, plan: "# Three\n" })).rejects.toThrow(
      "was not opened by review_plan",
    );
  });

  it("reports progress while it waits, and a canceled wait loses nothing", async () => {
    const { call } = await connect(await project());
    const { id, url } = opened.parse(await call("review_code"));
    const stop = new AbortController();
    const progressed = new Promise<symbol>((resolve) => {
      const onprogress = () => resolve(started);
      call("wait_for_feedback", { id }, { signal: stop.signal, onprogress }).catch(() => {});
    });
    expect(await progressed).toBe(started);
    stop.abort();
    await asPerson(url, "/api/send", { feedback: "Kept." });
    expect(batch.parse(await call("wait_for_feedback", { id })).feedback).toBe("Kept.");
  });

  it("saves a result that is too long for the client's model, and names the file", async () => {
    const folder = await project();
    const feedback = `${"🚀".repeat(40_000)} größer, the end.`;
    const results = new Map<string, unknown>();
    for (const name of ["other", "@cline/core"]) {
      const { client, call } = await connect(folder, name);
      const { id, url } = opened.parse(await call("review_plan", { plan: `# Of ${name}\n` }));
      await asPerson(url, "/api/send", { feedback });
      results.set(name, await client.callTool({ name: "wait_for_feedback", arguments: { id } }));
    }
    expect(results.get("other")).toMatchObject({ structuredContent: { event: "feedback", feedback } });
    const { content, structuredContent } = z
      .object({
        content: z.tuple([z.object({ text: z.string() })]),
        structuredContent: z.object({ event: z.literal("feedback"), file: z.string() }),
      })
      .parse(results.get("@cline/core"));
    expect(JSON.stringify(results.get("@cline/core")).length).toBeLessThan(8_000);
    expect(content[0].text).toContain(structuredContent.file);
    expect(content[0].text).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])/);
    expect(await readFile(structuredContent.file, "utf8")).toContain(feedback);

    const cline = await connect(folder, "@cline/core");
    const { id, url } = opened.parse(await cline.call("review_plan", { plan: "# Of a shorter one\n" }));
    await asPerson(url, "/api/send", { feedback: feedback.slice(-5_001) });
    const shorter = await cline.client.callTool({ name: "wait_for_feedback", arguments: { id } });
    expect(shorter).toMatchObject({ structuredContent: { event: "feedback" } });
    expect(JSON.stringify(shorter.content)).toContain(feedback.slice(-5_001));
  });

  it("hands a batch to one of two clients, and leaves reviews open when a client ends", async () => {
    const folder = await project();
    const one = await connect(folder, "one");
    const { id, url } = opened.parse(await one.call("review_code"));
    await one.client.close();
    const two = await connect(folder, "two");
    await asPerson(url, "/api/send", { feedback: "For the next." });
    expect(batch.parse(await two.call("wait_for_feedback", { id })).feedback).toBe("For the next.");
    expect(await two.call("wait_for_feedback", { id, timeout: 0 })).toEqual({ event: null });
    expect(await two.call("end_review", { id })).toEqual({ ok: true });
  });

  it.each([
    ["wait_for_feedback", { id: "unknown" }, /No live review has the id/],
    ["wait_for_feedback", {}, /id/],
    ["reply", { id: "unknown", thread: "t_1", markdown: "" }, /markdown/],
    ["no_such_tool", {}, /There is no tool/],
  ])("returns an error of %s as a tool error", async (tool, args, message) => {
    const { call } = await connect(await project());
    await expect(call(tool, args)).rejects.toThrow(message);
  });

  it("rejects lines that the diff does not have", async () => {
    const { call } = await connect(await project());
    const { id } = opened.parse(await call("review_code"));
    const finding = { id, path: "a.ts", lineStart: 99, markdown: "x" };
    await expect(call("add_finding", finding)).rejects.toThrow(/99|line/);
  });
});
