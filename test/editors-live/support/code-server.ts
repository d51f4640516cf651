import { execFile, spawn } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import getPort from "get-port";
import { onTestFinished } from "vitest";

const root = resolve(import.meta.dirname, "../../..");
const cache = process.env["SALLYPORT_EDITORS"] ?? join(root, ".cache/editors");
const run = promisify(execFile);

/** The file that `sallyport` writes for each open review. */
export interface RunningFile {
  readonly id: string;
  readonly pid: number;
  readonly port: number;
  readonly token: string;
}

/** VS Code's open-source build in a browser, with the packaged extension and a repository that has a change. */
export interface Editor {
  readonly url: string;
  readonly repository: string;
  reviews(): Promise<readonly RunningFile[]>;
}

async function tool(name: string): Promise<string> {
  const tools = JSON.parse(await readFile(join(import.meta.dirname, "tools.json"), "utf8"));
  const { version, entry } = tools[name];
  return join(cache, `${name}-${version}`, "node_modules", entry);
}

/** Starts the editor. Stopped and removed when the test ends. */
export async function startEditor(): Promise<Editor> {
  const folder = await mkdtemp(join(tmpdir(), "sallyport-editor-"));
  const at = (name: string) => join(folder, name);
  const repository = at("repository");
  const running = join(at("data"), "running");
  const reviews = async () => {
    const names = (await readdir(running).catch(() => [])).filter((name) => name.endsWith(".json"));
    const texts = await Promise.all(names.map((name) => readFile(join(running, name), "utf8")));
    return texts.map((text) => JSON.parse(text) as RunningFile);
  };
  onTestFinished(async () => {
    for (const { pid } of await reviews()) kill(pid);
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  });
  await mkdir(at("home"));
  await makeRepository(repository);
  const command = at("sallyport");
  await writeFile(
    command,
    `#!/bin/sh\nexec '${process.execPath}' '${join(root, "dist/sallyport.js")}' "$@"\n`,
  );
  await chmod(command, 0o755);
  const settings = {
    "sallyport.command": command,
    "sallyport.onReview": "nothing",
    "workbench.startupEditor": "none",
    "security.workspace.trust.enabled": false,
    "files.simpleDialog.enable": true,
  };
  await mkdir(join(at("user"), "User"), { recursive: true });
  await writeFile(join(at("user"), "User", "settings.json"), JSON.stringify(settings));
  const [node, entry, port] = [await tool("node"), await tool("code-server"), await getPort()];
  const folders = ["--user-data-dir", at("user"), "--extensions-dir", at("extensions")];
  const env = { PATH: process.env["PATH"] ?? "", HOME: at("home"), SERVICE_HOME: at("data") };
  const extension = join(root, "extensions/vscode/dist/sallyport.vsix");
  await run(node, [entry, ...folders, "--install-extension", extension], { env });
  const flags = ["--auth", "none", "--disable-proxy", "--disable-telemetry", "--disable-update-check"];
  const child = spawn(node, [entry, ...flags, "--bind-addr", `127.0.0.1:${port}`, ...folders], {
    env,
    stdio: "ignore",
    detached: true,
  });
  onTestFinished(() => kill(-(child.pid ?? 0)));
  await respondsAt(`http://127.0.0.1:${port}/healthz`);
  return { url: `http://127.0.0.1:${port}/?folder=${repository}`, repository, reviews };
}

async function makeRepository(folder: string): Promise<void> {
  const git = (...args: string[]) => run("git", ["-C", folder, ...args]);
  await mkdir(folder);
  await git("init", "-q", "-b", "main");
  await writeFile(join(folder, "size.ts"), "export const size = 1;\nexport const depth = 2;\n");
  await git("add", ".");
  await git("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-qm", "Add sizes");
  await writeFile(join(folder, "size.ts"), "export let größe = 3;\nexport const depth = 2;\n");
}

function kill(pid: number): void {
  if (pid === 0) return;
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // The process has already ended.
  }
}

async function respondsAt(url: string): Promise<void> {
  for (;;) {
    const isUp = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) return;
    await delay(100);
  }
}
