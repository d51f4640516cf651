import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { run } from "../bench.ts";
import { program } from "../programs.ts";
import type { Driver } from "./driver.ts";

export const openCodeDriver: Driver = {
  program: "opencode",
  agent: "opencode",
  variables: () => ({ OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" }),
  async prepare({ home }, modelUrl) {
    const folder = join(home, ".config/opencode");
    await mkdir(folder, { recursive: true });
    const provider = {
      npm: "@ai-sdk/openai-compatible",
      options: { baseURL: `${modelUrl}/v1`, apiKey: "test-key" },
      models: { "fake-model": {} },
    };
    await writeFile(
      join(folder, "opencode.json"),
      JSON.stringify({ provider: { fake: provider }, small_model: "fake/fake-model" }),
    );
    // OpenCode downloads the newest types for its plugins, and without a network it retries for minutes.
    await writeFile(join(home, ".npmrc"), "registry=http://127.0.0.1:9/\nfetch-retries=0\n");
  },
  turn: ({ toolResults }, plan) =>
    toolResults === 0 ? { calls: [{ name: "submit_plan", input: { plan } }] } : { text: "Done." },
  reportsApproval: true,
  toDelivered: (text) => text,
  isAfterDecision: ({ toolResults }) => toolResults >= 1,
  async start(bench) {
    const ended = await run(bench, [
      program("opencode"),
      "run",
      "--agent",
      "plan",
      "-m",
      "fake/fake-model",
      "Make a plan.",
    ]);
    return ended.stdout + ended.stderr;
  },
};
