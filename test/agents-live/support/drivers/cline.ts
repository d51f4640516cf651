import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Bench, install, run } from "../bench.ts";
import { program } from "../programs.ts";

const SETTINGS = ".cline/data/settings";

/** Keeps Cline from starting a daemon that outlives it. */
export const clineVariables = { CLINE_SESSION_BACKEND_MODE: "local" };

/** Writes the provider that `cline auth` would write. */
export async function prepareCline({ home }: Bench, modelUrl: string): Promise<void> {
  const name = "openai-compatible";
  const settings = { provider: name, apiKey: "test-key", model: "fake-model", baseUrl: `${modelUrl}/v1` };
  const provider = { settings, updatedAt: "2026-11-01T00:00:00.000Z", tokenSource: "manual" };
  await mkdir(join(home, SETTINGS), { recursive: true });
  const providers = { version: 1, lastUsedProvider: name, modes: {}, providers: { [name]: provider } };
  await writeFile(join(home, SETTINGS, "providers.json"), JSON.stringify(providers));
}

/** Installs Sallyport, and passes the bench's variables on, because Cline gives MCP servers only those they name. */
export async function installInCline(bench: Bench): Promise<void> {
  await install(bench, "cline");
  const path = join(bench.home, SETTINGS, "cline_mcp_settings.json");
  const settings = JSON.parse(await readFile(path, "utf8"));
  const own = Object.entries(bench.environment).filter(([name]) => name.startsWith("SERVICE_"));
  settings.mcpServers.sallyport.env = Object.fromEntries(own);
  await writeFile(path, JSON.stringify(settings));
}

/** Runs Cline until it has finished; resolves to its output. */
export async function runCline(bench: Bench, args: readonly string[]): Promise<string> {
  const { stdout, stderr } = await run(bench, [program("cline"), ...args]);
  return stdout + stderr;
}
