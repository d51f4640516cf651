import { spawn } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import type { Bench } from "../bench.ts";
import { program } from "../programs.ts";
import type { Driver } from "./driver.ts";

/**
 * Codex, driven through its app server, which editors use: `codex exec` has no plan mode. The driver stores the
 * trust of the hook and of the repository as a confirmation in the terminal would; otherwise Codex does not run the
 * hook, or does not load the repository's hooks.
 */
export const codexDriver: Driver = {
  program: "codex",
  agent: "codex",
  variables: () => ({ FAKE_KEY: "test-key" }),
  async prepare({ home, repository }, modelUrl) {
    await mkdir(join(home, ".codex"));
    await writeFile(
      join(home, ".codex/config.toml"),
      `model = "gpt-5"
model_provider = "fake"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.fake]
name = "Fake"
base_url = "${modelUrl}/v1"
env_key = "FAKE_KEY"
wire_api = "responses"
[projects.${JSON.stringify(repository)}]
trust_level = "trusted"
`,
    );
  },
  turn: ({ raw }, plan) =>
    raw.includes("hook_prompt") ? { text: "Done." } : { text: `<proposed_plan>\n${plan}</proposed_plan>` },
  reportsApproval: false,
  toDelivered: (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"),
  // Codex shows the model about ten thousand tokens of a hook's reason, and the path of the file with the whole text.
  async readLongText(requests) {
    const path = /Full hook output saved to: ([^\s<]+)/.exec(JSON.stringify(requests.at(-1)?.body))?.[1];
    return path ? readFile(path, "utf8") : "";
  },
  isAfterDecision: ({ raw }) => raw.includes("hook_prompt"),
  start: (bench) => plan(bench),
};

/** One thread, one turn in plan mode, until the turn ends. */
function plan(bench: Bench): Promise<string> {
  return converse(bench, (threadId) => ({
    threadId,
    input: [{ type: "text", text: "Make a plan." }],
    collaborationMode: {
      mode: "plan",
      settings: { model: "gpt-5", reasoning_effort: null, developer_instructions: null },
    },
  }));
}

/** Trusts the hook, for a later start in a terminal. */
export async function trustHook(bench: Bench): Promise<void> {
  await converse(bench, undefined);
}

/** Trusts the hook, then starts a turn and waits for its end, if there is one. */
async function converse(bench: Bench, turn: ((threadId: string) => object) | undefined): Promise<string> {
  const child = spawn(program("codex"), ["app-server"], {
    cwd: bench.repository,
    env: bench.environment,
    stdio: ["pipe", "pipe", "inherit"],
  });
  bench.running.push(() => void child.kill("SIGKILL"));
  onTestFinished(() => void child.kill("SIGKILL"));
  let printed = "";
  let nextId = 0;
  const send = (method: string, params: object) => {
    nextId += 1;
    child.stdin.write(`${JSON.stringify({ id: nextId, method, params })}\n`);
  };
  const capabilities = { experimentalApi: true, requestAttestation: false };
  send("initialize", { clientInfo: { name: "test", title: "test", version: "1" }, capabilities });
  for await (const line of createInterface({ input: child.stdout })) {
    printed += `${line}\n`;
    const message = JSON.parse(line);
    if (message.id === 1) send("hooks/list", { cwds: [bench.repository] });
    if (message.id === 2) send("config/batchWrite", { edits: [trust(message.result.data[0].hooks)] });
    if (message.id === 3 && !turn) break;
    if (message.id === 3) send("thread/start", { cwd: bench.repository });
    if (message.id === 4 && turn) send("turn/start", turn(message.result.thread.id));
    if (message.method === "turn/completed" || message.error) break;
  }
  child.kill();
  return printed;
}

function trust(hooks: readonly { key: string; currentHash: string }[]): object {
  const value = Object.fromEntries(hooks.map(({ key, currentHash }) => [key, { trusted_hash: currentHash }]));
  return { keyPath: "hooks.state", value, mergeStrategy: "upsert" };
}
