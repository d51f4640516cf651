import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Bench } from "./bench.ts";
import { clineVariables } from "./drivers/cline.ts";
import { offlineVariables } from "./drivers/opencode.ts";
import type { ModelRequest, Reply } from "./model-fake.ts";
import { commandOf, program } from "./programs.ts";

/**
 * Runs one agent through a tool loop without a person: connected by `proxy connect`, with a prompt of one sentence.
 */
export interface LoopClient {
  /** The name in programs.json. */
  readonly program: string;
  /** The name for `sallyport proxy connect`. */
  readonly agent: string;
  readonly variables: Readonly<Record<string, string>>;
  prepare(bench: Bench): Promise<void>;
  /** The call by which the model reads `path`. */
  readCall(path: string, request: ModelRequest): NonNullable<Reply["calls"]>[number];
  command(prompt: string): readonly string[];
}

const nothing = async () => {};
const cat = (path: string) => `cat ${path}`;

const claude = {
  agent: "claude-code",
  variables: { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", DISABLE_AUTOUPDATER: "1", IS_SANDBOX: "1" },
  prepare: nothing,
  readCall: (path: string) => ({ name: "Bash", input: { command: cat(path), description: "Read a file" } }),
};

export const loopClients: readonly LoopClient[] = [
  ...["claude-code", "claude-code-earlier"].map((name) => ({
    ...claude,
    program: name,
    command: (prompt: string) => [program(name), "-p", prompt, "--dangerously-skip-permissions"],
  })),
  {
    program: "codex",
    agent: "codex",
    variables: {},
    prepare: nothing,
    readCall: (path, { raw }) =>
      raw.includes('"exec_command"')
        ? { name: "exec_command", input: { cmd: cat(path) } }
        : { name: "shell_command", input: { command: cat(path) } },
    command: (prompt) => [
      ...[program("codex"), "exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"],
      ...[
        "-c",
        "analytics.enabled=false",
        "-c",
        "check_for_update_on_startup=false",
        "-m",
        "fake-model",
        prompt,
      ],
    ],
  },
  {
    program: "gemini-cli",
    agent: "gemini-cli",
    variables: { GEMINI_CLI_TRUST_WORKSPACE: "true" },
    async prepare({ home }) {
      await mkdir(join(home, ".gemini"));
      const settings = { general: { disableAutoUpdate: true }, privacy: { usageStatisticsEnabled: false } };
      await writeFile(join(home, ".gemini/settings.json"), JSON.stringify(settings));
    },
    readCall: (path) => ({ name: "run_shell_command", input: { command: cat(path) } }),
    command: (prompt) => [program("gemini-cli"), "-p", prompt, "--yolo", "-m", "fake-model"],
  },
  ...(["opencode", "kilo"] as const).map((name) => ({
    program: name,
    agent: name,
    variables: offlineVariables(name),
    prepare: ({ home }: Bench) =>
      writeFile(join(home, ".npmrc"), "registry=http://127.0.0.1:9/\nfetch-retries=0\n"),
    readCall: (path: string) => ({ name: "bash", input: { command: cat(path), description: "Read a file" } }),
    command: (prompt: string) => [program(name), "run", "-m", "sallyport/fake-model", prompt],
  })),
  ...["qwen-code", "qwen-code-earlier"].map((name) => ({
    program: name,
    agent: "qwen",
    variables: {},
    async prepare({ home }: Bench) {
      await mkdir(join(home, ".qwen"));
      const settings = { general: { disableAutoUpdate: true }, privacy: { usageStatisticsEnabled: false } };
      await writeFile(join(home, ".qwen/settings.json"), JSON.stringify(settings));
    },
    readCall: (path: string) => ({
      name: "run_shell_command",
      input: { command: cat(path), description: "Read a file", is_background: false },
    }),
    command: (prompt: string) => [...commandOf(name), "-p", prompt, "--yolo", "-m", "fake-model"],
  })),
  {
    program: "copilot",
    agent: "copilot",
    variables: { COPILOT_MODEL: "fake-model", COPILOT_OFFLINE: "true", COPILOT_AUTO_UPDATE: "false" },
    prepare: nothing,
    readCall: (path) => ({ name: "bash", input: { command: cat(path), description: "Read a file" } }),
    command: (prompt) => [program("copilot"), "-p", prompt, "--allow-all-tools"],
  },
  {
    program: "cline",
    agent: "cline",
    variables: clineVariables,
    prepare: nothing,
    readCall: (path) => ({ name: "run_commands", input: { commands: [cat(path)] } }),
    command: (prompt) => [program("cline"), prompt],
  },
  {
    program: "pi",
    agent: "pi",
    variables: { PI_OFFLINE: "1" },
    prepare: nothing,
    readCall: (path) => ({ name: "bash", input: { command: cat(path) } }),
    command: (prompt) => [program("pi"), "--model", "sallyport/fake-model", "-p", prompt],
  },
];
