import { spawn } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { z } from "zod";
import type { Bench } from "../bench.ts";
import { commandOf } from "../programs.ts";
import { type Driver, readSavedText } from "./driver.ts";

/**
 * Qwen Code, driven through the protocol that editors use (https://agentclientprotocol.com): `qwen -p` never leaves
 * plan mode. The editor receives the questions that it otherwise asks in its terminal.
 */
export const qwenCodeDriver = (name: string): Driver => ({
  program: name,
  agent: "qwen",
  variables: (modelUrl) => ({
    OPENAI_BASE_URL: `${modelUrl}/v1`,
    OPENAI_API_KEY: "test-key",
    OPENAI_MODEL: "fake-model",
  }),
  async prepare({ home }) {
    await mkdir(join(home, ".qwen"));
    const settings = {
      security: { auth: { selectedType: "openai" } },
      general: { disableAutoUpdate: true },
      privacy: { usageStatisticsEnabled: false },
    };
    await writeFile(join(home, ".qwen/settings.json"), JSON.stringify(settings));
  },
  turn: ({ toolResults }, plan) =>
    toolResults === 0 ? { calls: [{ name: "exit_plan_mode", input: { plan } }] } : { text: "Done." },
  reportsApproval: true,
  toDelivered: (text) => text,
  toDeliveredNote: (text) => text.replaceAll("<", "&lt;").replaceAll(">", "&gt;"),
  readLongText: readSavedText,
  isAfterDecision: ({ toolResults }) => toolResults >= 1,
  start: (bench) => converse(name, bench),
});

const message = z.object({
  id: z.union([z.number(), z.string()]).optional(),
  method: z.string().optional(),
  result: z.object({ sessionId: z.string().optional() }).loose().nullish(),
  error: z.unknown().optional(),
});

/** One session, one prompt in plan mode, until its turn ends. */
async function converse(name: string, bench: Bench): Promise<string> {
  const [command, ...args] = commandOf(name);
  const child = spawn(command, [...args, "--acp"], {
    cwd: bench.repository,
    env: bench.environment,
    stdio: ["pipe", "pipe", "inherit"],
  });
  bench.running.push(() => void child.kill("SIGKILL"));
  onTestFinished(() => void child.kill("SIGKILL"));
  let sessionId = "";
  const send = (content: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...content })}\n`);
  const steps = [
    () => ({ method: "session/new", params: { cwd: bench.repository, mcpServers: [] } }),
    () => ({ method: "session/set_mode", params: { sessionId, modeId: "plan" } }),
    () => ({
      method: "session/prompt",
      params: { sessionId, prompt: [{ type: "text", text: "Make a plan." }] },
    }),
  ];
  const fs = { readTextFile: false, writeTextFile: false };
  send({ id: 0, method: "initialize", params: { protocolVersion: 1, clientCapabilities: { fs } } });
  let printed = "";
  for await (const line of createInterface({ input: child.stdout })) {
    printed += `${line}\n`;
    const { id, method, result, error } = message.parse(JSON.parse(line));
    if (error !== undefined) break;
    // Newer versions ask again after the hook has allowed the plan; this confirms it.
    if (method === "session/request_permission") {
      send({ id, result: { outcome: { outcome: "selected", optionId: "proceed_once" } } });
    }
    if (method !== undefined || typeof id !== "number") continue;
    sessionId = result?.sessionId ?? sessionId;
    const next = steps[id];
    if (!next) break;
    send({ id: id + 1, ...next() });
  }
  child.kill();
  return printed;
}
