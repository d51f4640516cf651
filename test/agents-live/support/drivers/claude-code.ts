import { type ChildProcess, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { onTestFinished } from "vitest";
import type { Bench } from "../bench.ts";
import type { ModelRequest } from "../model-fake.ts";
import { program } from "../programs.ts";
import type { Driver } from "./driver.ts";

/**
 * Claude Code, driven through its SDK: `claude -p` does not offer ExitPlanMode. The dialog that the terminal would
 * show stays open, so that only the hook can decide.
 */
export function claudeCodeDriver(name: string): Driver {
  return {
    program: name,
    agent: "claude-code",
    variables: (modelUrl) => ({
      ANTHROPIC_BASE_URL: modelUrl,
      ANTHROPIC_API_KEY: "test-key",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      CLAUDE_CODE_MAX_RETRIES: "1",
      DISABLE_AUTOUPDATER: "1",
      IS_SANDBOX: "1",
    }),
    prepare: async () => {},
    turn({ toolResults, raw }, plan) {
      if (toolResults === 0) {
        const path = /(\/[^\s"\\]*\/plans\/[\w-]+\.md)/.exec(raw)?.[1];
        if (!path) return { text: "The request names no plan file." };
        return { calls: [{ name: "Write", input: { file_path: path, content: plan } }] };
      }
      return toolResults === 1 ? { calls: [{ name: "ExitPlanMode", input: {} }] } : { text: "Done." };
    },
    reportsApproval: true,
    toDelivered: (text) => text,
    ...(name === "claude-code" ? { readLongText: readPersistedOutput } : {}),
    isAfterDecision: ({ toolResults }) => toolResults >= 2,
    start: (bench) => converse(name, bench),
  };
}

/** Since 2.1.332, Claude Code removes the middle of a long denial and names the file in which it has saved all of it. */
async function readPersistedOutput(requests: readonly ModelRequest[]): Promise<string> {
  const raw = requests.map((request) => request.raw).join("\n");
  const path = /Full output saved to: ([^\s"\\]+)/.exec(raw)?.[1];
  return path ? readFile(path, "utf8") : "";
}

async function converse(name: string, bench: Bench): Promise<string> {
  const { query } = await import(pathToFileURL(program("claude-agent-sdk")).href);
  let child: ChildProcess | undefined;
  const kill = () => void child?.kill("SIGKILL");
  bench.running.push(kill);
  onTestFinished(kill);
  const messages = query({
    prompt: "Make a plan.",
    options: {
      cwd: bench.repository,
      env: bench.environment,
      permissionMode: "plan",
      settingSources: ["user", "project"],
      pathToClaudeCodeExecutable: program(name),
      spawnClaudeCodeProcess: ({ command, args, cwd, env }: Spawned) => {
        child = spawn(command, args, { cwd, env, stdio: ["pipe", "pipe", "inherit"] });
        return child;
      },
      canUseTool: (tool: string, input: object) =>
        tool === "ExitPlanMode"
          ? new Promise(() => {})
          : Promise.resolve({ behavior: "allow", updatedInput: input }),
    },
  });
  let printed = "";
  try {
    for await (const message of messages) printed += `${JSON.stringify(message)}\n`;
  } catch (error) {
    if (child?.signalCode !== "SIGKILL") throw error;
  }
  return printed;
}

/** The program that the SDK would start. */
interface Spawned {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env: NodeJS.ProcessEnv;
}
