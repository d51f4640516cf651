import { randomBytes } from "node:crypto";
import { stat } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import {
  CallToolRequestSchema,
  type CallToolResult,
  ListToolsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { AppError, getErrorMessage } from "../../../errors.ts";
import { writeDurably } from "../../../files/durable-file.ts";
import { toRealPath } from "../../../files/real-path.ts";
import { batchText } from "../../../review/live/batch-text.ts";
import { livePlanFolder } from "../../../review/live/log-folder.ts";
import type { Output } from "../../output.ts";
import { version } from "../../version.ts";
import { callReview, toAuthor } from "./call-review.ts";
import { pathInReview } from "./commands.ts";
import { startDetached } from "./detach.ts";
import { dataFolder, findReview } from "./find-review.ts";
import { fitToClient, type ToolResult } from "./mcp-limits.ts";
import { waitForBatch } from "./wait-for-batch.ts";

/** The context of a tool call. */
interface ToolCall {
  /** The client's name, which is the author of its comments and replies. */
  readonly agent: string;
  readonly signal: AbortSignal;
  /** Reports that the call is still waiting; does nothing for a client that requested no progress. */
  readonly reportProgress: (elapsed: number) => void;
  /**
   * Resolves to the folder that a review is about: the given one, otherwise the client's first root,
   * otherwise the working directory. Clients of the Agent Plugins format start the server in the plugin's
   * folder.
   */
  readonly workingDirectory: (given: string | undefined) => Promise<string>;
  /** Runs a task once the result has been sent, unless the client has canceled the call. */
  readonly afterSending: (task: () => Promise<void>) => void;
}

interface Tool {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodObject;
  run(args: unknown, call: ToolCall): Promise<ToolResult>;
}

const id = z.string().describe("The id of the review");
const directory = z
  .string()
  .optional()
  .describe("The absolute path of the repository or of a folder in it; by default your working directory");

/** Defines a tool whose arguments are parsed before it runs. */
function tool<Shape extends z.ZodRawShape>(
  name: string,
  description: string,
  input: z.ZodObject<Shape>,
  run: (args: z.infer<z.ZodObject<Shape>>, call: ToolCall) => Promise<ToolResult>,
): Tool {
  return {
    name,
    description,
    input,
    run: (args, call) => {
      const parsed = input.safeParse(args);
      if (parsed.success) return run(parsed.data, call);
      const [issue] = parsed.error.issues;
      throw new AppError("validation", `${issue?.path.join(".") || "The arguments"}: ${issue?.message}`);
    },
  };
}

const TOOLS: readonly Tool[] = [
  tool(
    "review_code",
    "Opens a live review of the uncommitted changes of a repository and returns at once. Then call wait_for_feedback.",
    z.object({ directory }),
    async ({ directory: given }, call) => openReview(["code"], call, await call.workingDirectory(given)),
  ),
  tool(
    "review_plan",
    "Opens a live review of a plan and returns at once. Then call wait_for_feedback. With the id of a plan's open review, shows a revised plan as its next round. Saving the plan's file, which the result names, does the same.",
    z.object({
      plan: z.string().min(1).describe("The plan as Markdown"),
      id: z.string().optional().describe("The id of the plan's review, for a revised plan"),
      directory,
    }),
    async ({ plan, id: open, directory: given }, call) => {
      if (open !== undefined) return revisePlan(open, plan);
      const file = join(livePlanFolder(dataFolder()), `${randomBytes(8).toString("hex")}.md`);
      await writeDurably(file, plan);
      const folder = await call.workingDirectory(given);
      return openReview(["plan", file, `--project=${folder}`], call, folder, { file });
    },
  ),
  tool(
    "wait_for_feedback",
    "Waits until the person sends feedback or ends the review, and returns it. With a timeout, returns event null after that many seconds; 0 returns at once.",
    z.object({ id, timeout: z.number().min(0).max(86_400).optional().describe("Seconds") }),
    async ({ id: review, timeout }, { agent, signal, reportProgress, afterSending }) => {
      const began = performance.now();
      const timer = setInterval(() => reportProgress((performance.now() - began) / 1_000), PROGRESS_MS);
      try {
        const batch = await waitForBatch({ id: review, timeout, again: false, agent, signal });
        if (!batch)
          return { content: { event: null }, text: "No feedback yet. Call wait_for_feedback again." };
        afterSending(batch.confirm);
        return { content: batch.content, text: batchText(batch.content, "tools") };
      } finally {
        clearInterval(timer);
      }
    },
  ),
  tool(
    "add_finding",
    "Adds a finding to lines of a file. The person sees the finding at once and can accept or dismiss it.",
    z.object({
      id,
      path: z.string().describe("Path in the repository"),
      lineStart: z.number().int().min(1).describe("First line, after the change"),
      lineEnd: z.number().int().min(1).optional(),
      markdown: z.string().min(1),
      severity: z.enum(["info", "warning", "error"]).optional(),
    }),
    async ({ id: of, path, lineStart, lineEnd = lineStart, markdown, severity }, { agent }) => {
      const review = await findReview(of);
      const anchor = { kind: "lines", path: pathInReview(review, path), side: "new", lineStart, lineEnd };
      const content = await callReview(review, {
        method: "POST",
        path: "/api/threads",
        body: { anchor, type: "finding", markdown, severity: severity ?? null, author: toAuthor(agent) },
      });
      return { content: content as object, text: `Added to ${path}, line ${lineStart}.` };
    },
  ),
  tool(
    "reply",
    "Replies in a thread, and with resolve marks it as resolved in your name.",
    z.object({ id, thread: z.string(), markdown: z.string().min(1), resolve: z.boolean().optional() }),
    async ({ id: of, thread, markdown, resolve }, { agent }) => {
      const review = await findReview(of);
      const path = `/api/threads/${encodeURIComponent(thread)}`;
      const author = toAuthor(agent);
      let content = await callReview(review, {
        method: "POST",
        path: `${path}/messages`,
        body: { markdown, author },
      });
      if (resolve)
        content = await callReview(review, { method: "PATCH", path, body: { state: "resolved", author } });
      return { content: content as object, text: resolve ? "Replied and resolved." : "Replied." };
    },
  ),
  tool(
    "refresh",
    "Starts the next round: takes the diff again, or reads the plan's file again. Call it after you have changed them.",
    z.object({ id }),
    async ({ id: of }) => {
      const content = await callReview(await findReview(of), { method: "POST", path: "/api/refresh" });
      return { content: content as object, text: "The person sees the new state." };
    },
  ),
  tool("end_review", "Ends a live review and closes its page.", z.object({ id }), async ({ id: of }) => {
    const content = await callReview(await findReview(of), { method: "POST", path: "/api/end" });
    return { content: content as object, text: "The review has ended." };
  }),
];

/** Milliseconds between two progress notifications; clients give up after 30 s or more without one. */
const PROGRESS_MS = 5_000;

async function openReview(
  args: readonly string[],
  { agent }: ToolCall,
  folder: string,
  more: object = {},
): Promise<ToolResult> {
  const command = ["review", ...args, "--live", "--detached", `--agent=${agent}`];
  const started = await startDetached(command, folder);
  if ("exitCode" in started)
    throw new AppError("internal", started.report.trim() || "The review did not start");
  return {
    content: { id: started.id, url: started.url, ...more },
    text: `The review ${started.id} is open at ${started.url}. Call wait_for_feedback with this id.`,
  };
}

/**
 * Shows a revised plan in its open review. Changes only files in the folder of live plans, where `review_plan` saves
 * plans. The agent changes a plan file of the person with its own tools.
 */
async function revisePlan(id: string, plan: string): Promise<ToolResult> {
  const review = await findReview(id);
  const { url, file } = review;
  // The file of a review has its links resolved.
  if (file === undefined || dirname(file) !== toRealPath(livePlanFolder(dataFolder())))
    throw new AppError("usage", `The review ${id} was not opened by review_plan`, {
      hint:
        file === undefined ? "Open the plan's review without an id." : `Save the plan to ${file} instead.`,
    });
  await writeDurably(file, plan);
  await callReview(review, { method: "POST", path: "/api/refresh" });
  const text = `The person sees the revised plan at ${url}. Call wait_for_feedback with the same id.`;
  return { content: { id, url, file }, text };
}

async function workingDirectory(server: Server, given: string | undefined): Promise<string> {
  const folder = given ?? (await firstRoot(server)) ?? process.cwd();
  const isFolder = await stat(folder).then(
    (entry) => entry.isDirectory(),
    () => false,
  );
  if (isAbsolute(folder) && isFolder) return folder;
  throw new AppError("validation", `directory: ${folder} is not the absolute path of a folder`, {
    hint: "Pass the absolute path of the repository.",
  });
}

/** Resolves to the path of the client's first root with a `file:` URI, or undefined. */
async function firstRoot(server: Server): Promise<string | undefined> {
  if (server.getClientCapabilities()?.roots === undefined) return undefined;
  try {
    const { roots } = await server.listRoots();
    const [uri] = roots.map((root) => root.uri).filter((each) => each.startsWith("file:"));
    return uri === undefined ? undefined : fileURLToPath(uri);
  } catch {
    // A client may announce roots but fail to list them; it is treated as a client without roots.
    return undefined;
  }
}

/** Runs `sallyport mcp`: an MCP server on stdin and stdout. Resolves to the exit code once the client closes stdin. */
export async function serveMcp(output: Output): Promise<number> {
  const server = new Server({ name: "sallyport", version }, { capabilities: { tools: {} } });
  const closing = new AbortController();
  server.onerror = (error) => output.note(`sallyport mcp: ${error.message}`);
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: TOOLS.map(({ name, description, input }) => ({
      name,
      description,
      inputSchema: { ...z.toJSONSchema(input), type: "object" as const },
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra): Promise<CallToolResult> => {
    const { progressToken } = params._meta ?? {};
    const signal = AbortSignal.any([extra.signal, closing.signal]);
    const call: ToolCall = {
      agent: server.getClientVersion()?.name || "agent",
      signal,
      reportProgress(elapsed) {
        if (progressToken === undefined || signal.aborted) return;
        const message = "Waiting for the person's feedback";
        void extra
          .sendNotification({
            method: "notifications/progress",
            params: { progressToken, progress: elapsed, message },
          })
          .catch(() => {});
      },
      workingDirectory: (given) => workingDirectory(server, given),
      afterSending(task) {
        // The SDK writes the result in a microtask after the handler. A canceled call gets no result.
        setImmediate(() => {
          if (!signal.aborted)
            task().catch((error) => output.note(`sallyport mcp: ${getErrorMessage(error)}`));
        });
      },
    };
    try {
      const found = TOOLS.find(({ name }) => name === params.name);
      if (!found) throw new AppError("not_found", `There is no tool "${params.name}"`);
      const { content, text } = await fitToClient(await found.run(params.arguments ?? {}, call), call.agent);
      return { content: [{ type: "text", text }], structuredContent: { ...content } };
    } catch (error) {
      const hint = error instanceof AppError && error.hint ? `\n${error.hint}` : "";
      return { isError: true, content: [{ type: "text", text: `${getErrorMessage(error)}${hint}` }] };
    }
  });
  const ended = new Promise<void>((resolve) => process.stdin.once("end", resolve).once("close", resolve));
  await server.connect(new StdioServerTransport());
  await ended;
  closing.abort();
  await server.close();
  return 0;
}
