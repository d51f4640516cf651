import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { run } from "../bench.ts";
import { program } from "../programs.ts";
import type { Driver } from "./driver.ts";

export const geminiCliDriver: Driver = {
  program: "gemini-cli",
  agent: "gemini-cli",
  variables: (modelUrl) => ({
    GEMINI_API_KEY: "test-key",
    GOOGLE_GEMINI_BASE_URL: modelUrl,
    GEMINI_CLI_TRUST_WORKSPACE: "true",
    // Uses a single process: otherwise the started process is only a launcher.
    GEMINI_CLI_NO_RELAUNCH: "true",
  }),
  async prepare({ home }) {
    await mkdir(join(home, ".gemini"));
    const settings = {
      security: { auth: { selectedType: "gemini-api-key" } },
      general: { disableAutoUpdate: true, disableUpdateNag: true },
      privacy: { usageStatisticsEnabled: false },
    };
    await writeFile(join(home, ".gemini/settings.json"), JSON.stringify(settings));
  },
  turn({ toolResults, raw, body }, plan) {
    if (toolResults === 0) {
      const folder = /(?<![.\w])(\/[^\s"\\`]*\/plans)\b/.exec(raw)?.[1];
      if (!folder) return { text: "The request names no folder for plans." };
      return { calls: [{ name: "write_file", input: { file_path: `${folder}/feature.md`, content: plan } }] };
    }
    // "The approved implementation plan is stored at: …. Read and follow the plan strictly during implementation."
    const approved = /plan is stored at: (\S+\.md)/.exec(JSON.stringify(body.contents?.at(-1) ?? ""))?.[1];
    if (approved) return { calls: [{ name: "read_file", input: { file_path: approved } }] };
    if (toolResults > 1) return { text: "Done." };
    return { calls: [{ name: "exit_plan_mode", input: { plan_filename: "feature.md" } }] };
  },
  reportsApproval: true,
  toDelivered: (text) => text,
  isAfterDecision: ({ toolResults }) => toolResults >= 2,
  async start(bench) {
    const ended = await run(bench, [
      program("gemini-cli"),
      "-p",
      "Make a plan.",
      "--approval-mode",
      "plan",
      "-m",
      "gemini-2.5-pro",
    ]);
    return ended.stdout + ended.stderr;
  },
};
