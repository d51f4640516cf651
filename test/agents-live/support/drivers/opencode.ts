import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Bench, run } from "../bench.ts";
import { program } from "../programs.ts";
import type { Driver } from "./driver.ts";

export const openCodeDriver = driverOf("opencode");
/** Kilo is derived from OpenCode, and reads the same formats. */
export const kiloDriver: Driver = {
  ...driverOf("kilo"),
  // Kilo cuts a long result itself, and saves all of it.
  async readLongText(requests) {
    const raw = requests.map((request) => request.raw).join("\n");
    const path = /(\/[^\s"\\]*\/tool-output\/[^\s"\\]+)/.exec(raw)?.[1];
    return path ? readFile(path, "utf8") : raw.slice(-4000);
  },
};

/** Keeps the program from calling its vendor. */
export function offlineVariables(name: "opencode" | "kilo"): Record<string, string> {
  const prefix = name.toUpperCase();
  return { [`${prefix}_DISABLE_AUTOUPDATE`]: "1", [`${prefix}_DISABLE_MODELS_FETCH`]: "1" };
}

/** Kilo, whose launcher the bench's `stop` kills instead of the program. */
export const kiloByLauncher: Driver = { ...kiloDriver, start: (bench) => plan(bench, "kilo", false) };

async function plan(bench: Bench, name: "opencode" | "kilo", isLauncher: boolean): Promise<string> {
  const options = ["--agent", "plan", "-m", "fake/fake-model"];
  const { stdout, stderr } = await run(bench, [program(name), "run", ...options, "Make a plan."], {
    isLauncher,
  });
  return stdout + stderr;
}

function driverOf(name: "opencode" | "kilo"): Driver {
  return {
    program: name,
    agent: name,
    variables: () => offlineVariables(name),
    async prepare({ home }, modelUrl) {
      const folder = join(home, ".config", name);
      await mkdir(folder, { recursive: true });
      const provider = {
        npm: "@ai-sdk/openai-compatible",
        options: { baseURL: `${modelUrl}/v1`, apiKey: "test-key" },
        models: { "fake-model": {} },
      };
      await writeFile(
        join(folder, `${name}.json`),
        JSON.stringify({ provider: { fake: provider }, small_model: "fake/fake-model" }),
      );
      // The program downloads the newest types for its plugins, and without a network it retries for minutes.
      await writeFile(join(home, ".npmrc"), "registry=http://127.0.0.1:9/\nfetch-retries=0\n");
    },
    turn: ({ toolResults }, plan) =>
      toolResults === 0 ? { calls: [{ name: "submit_plan", input: { plan } }] } : { text: "Done." },
    reportsApproval: true,
    toDelivered: (text) => text,
    isAfterDecision: ({ toolResults }) => toolResults >= 1,
    // Kilo's command is a script that starts the program.
    start: (bench) => plan(bench, name, name === "kilo"),
  };
}
