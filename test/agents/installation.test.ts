import { existsSync } from "node:fs";
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { InstallTarget, ReviewInstall } from "../../src/agents/agent.ts";
import { changesToInstall, changesToUninstall, resolveTarget } from "../../src/agents/file-edits/changes.ts";
import { readEitherState, readInstallState } from "../../src/agents/file-edits/install-state.ts";
import { createReceiptStore } from "../../src/agents/file-edits/receipts.ts";
import { showChanges } from "../../src/agents/file-edits/show-changes.ts";
import { forgetReceipts, writeChanges } from "../../src/agents/file-edits/write-changes.ts";
import { reviewedAgentNamed, reviewedAgents } from "../../src/agents/registry.ts";
import { oddSettings } from "./odd-settings.ts";

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "sallyport-agents-"));
});
afterEach(() => rm(home, { recursive: true, force: true }));

const targetIn = (folder: string, command = "sallyport"): InstallTarget => ({
  home: folder,
  command,
  argv: command.split(" "),
  environment: {},
});
const agents = await Promise.all(
  reviewedAgents.map(async ({ id, install }) => ({ id, ...(await install()) })),
);

const receiptsIn = (folder: string) => createReceiptStore(join(folder, "data"));

async function install(agent: ReviewInstall, target: InstallTarget): Promise<number> {
  const changes = await changesToInstall(agent.edits(target), receiptsIn(target.home));
  await writeChanges(changes, receiptsIn(target.home));
  return changes.length;
}

async function uninstall(agent: ReviewInstall, target: InstallTarget): Promise<void> {
  const edits = agent.edits(target);
  const receipts = receiptsIn(target.home);
  await writeChanges(await changesToUninstall(edits, receipts), receipts);
  await forgetReceipts(await Promise.all(edits.map((edit) => resolveTarget(edit.path))), receipts);
}

async function put(path: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}

const settingsOf = (agent: ReviewInstall, target: InstallTarget) => agent.edits(target)[0]?.path ?? "";
/** Agents whose files Sallyport shares. The others get separate files. */
const withSettings = agents.filter((agent) =>
  /(settings|hooks)\.json$/.test(settingsOf(agent, targetIn("/"))),
);
const claudeCode = agents.find((agent) => agent.id === "claude-code") as ReviewInstall;

describe.each(agents.map((agent) => [agent.id, agent] as const))("%s", (_id, agent) => {
  it("is installed from nothing, once, and leaves nothing behind", async () => {
    const target = targetIn(home);
    expect(await readInstallState(agent.edits(target))).toBe("absent");
    expect(await install(agent, target)).toBe(2);
    expect(await readInstallState(agent.edits(target))).toBe("installed");
    expect(await install(agent, target)).toBe(0);
    await uninstall(agent, target);
    expect(await readInstallState(agent.edits(target))).toBe("absent");
    expect((await readdir(home)).filter((name) => name !== "data")).toEqual([]);
    expect(await readdir(join(home, "data"))).toEqual([]);
  });

  it("is brought up to date when the command has moved, and still goes without a trace", async () => {
    await install(agent, targetIn(home, "/old/sallyport"));
    expect(await readInstallState(agent.edits(targetIn(home)))).toBe("outdated");
    // A rule that has the tools of `sallyport mcp` used does not name the command.
    expect(await install(agent, targetIn(home))).toBe(agent.isMcp ? 1 : 2);
    expect(await readInstallState(agent.edits(targetIn(home)))).toBe("installed");
    await uninstall(agent, targetIn(home));
    expect((await readdir(home)).filter((name) => name !== "data")).toEqual([]);
  });

  it("does not touch a file of the same name that somebody else wrote", async () => {
    const own = agent.edits(targetIn(home))[1]?.path ?? "";
    await put(own, "mine\n");
    await expect(install(agent, targetIn(home))).rejects.toThrow(/not written by Sallyport/);
    expect(existsSync(settingsOf(agent, targetIn(home)))).toBe(false);
    await uninstall(agent, targetIn(home));
    expect(await readFile(own, "utf8")).toBe("mine\n");
  });
});

describe.each(
  agents
    .filter(({ cannotStayLive, isMcp }) => !cannotStayLive && !isMcp)
    .map((agent) => [agent.id, agent] as const),
)("live plan reviews of %s", (_id, agent) => {
  const live = (folder: string) => ({ ...targetIn(folder), live: true });

  it("are installed over one-shot reviews and back, and leave nothing behind", async () => {
    await install(agent, targetIn(home));
    expect(await readEitherState(agent.edits, targetIn(home))).toEqual({ state: "installed", live: false });
    expect(await install(agent, live(home))).toBe(1);
    expect(await readFile(settingsOf(agent, live(home)), "utf8")).toMatch(
      /review("?,"? ?| )plan("?,"| )--live/,
    );
    expect(await readEitherState(agent.edits, targetIn(home))).toEqual({ state: "installed", live: true });
    expect(await install(agent, targetIn(home))).toBe(1);
    await install(agent, live(home));
    // `uninstall` has no --live.
    await uninstall(agent, targetIn(home));
    expect((await readdir(home)).filter((name) => name !== "data")).toEqual([]);
  });
});

describe.each(withSettings.map((agent) => [agent.id, agent] as const))("settings of %s", (_id, agent) => {
  it.each(oddSettings)("come back byte for byte: %s", async (_name, text) => {
    const target = targetIn(home);
    const path = settingsOf(agent, target);
    await put(path, text);
    await install(agent, target);
    const written = await readFile(path, "utf8");
    expect(written).toMatch(agent.isMcp ? /"args": ?\[\s*"mcp"\s*\]/ : /review plan/);
    expect(written.match(/theirs/g)?.length).toBe(text.match(/theirs/g)?.length);
    await uninstall(agent, target);
    expect(await readFile(path, "utf8")).toBe(text);
    await install(agent, { ...target, live: true });
    await uninstall(agent, target);
    expect(await readFile(path, "utf8")).toBe(text);
  });
});

it("any settings come back byte for byte", async () => {
  const hooks = fc.record(
    { PermissionRequest: fc.array(fc.object()), Stop: fc.array(fc.jsonValue()), Other: fc.jsonValue() },
    { requiredKeys: [] },
  );
  const settings = fc.record({ hooks, model: fc.jsonValue(), "": fc.string() }, { requiredKeys: [] });
  const space = fc.constantFrom(undefined, 1, 4, "\t", " \t ");
  const around = fc.constantFrom("", "\n", "// note\n", "\r\n  \r\n", "/* [{ */");
  let run = 0;
  await fc.assert(
    fc.asyncProperty(settings, space, around, around, async (value, indent, before, after) => {
      run += 1;
      const target = targetIn(join(home, String(run)));
      const text = before + JSON.stringify(value, null, indent) + after;
      await put(settingsOf(claudeCode, target), text);
      await install(claudeCode, target);
      expect(await readFile(settingsOf(claudeCode, target), "utf8")).toContain("sallyport review plan");
      await uninstall(claudeCode, target);
      expect(await readFile(settingsOf(claudeCode, target), "utf8")).toBe(text);
    }),
    { numRuns: 60 },
  );
});

it("leaves a limit of the person's own alone", async () => {
  const target = targetIn(home);
  await put(settingsOf(claudeCode, target), '{"env":{"BASH_MAX_TIMEOUT_MS":"60000"}}');
  await install(claudeCode, target);
  const settings = JSON.parse(await readFile(settingsOf(claudeCode, target), "utf8"));
  expect(settings.env).toEqual({ BASH_MAX_TIMEOUT_MS: "60000" });
  expect(await readInstallState(claudeCode.edits(target))).toBe("installed");
});

describe("a settings file", () => {
  const target = () => targetIn(home);
  const path = () => settingsOf(claudeCode, target());

  it("that was edited since keeps the edits and loses only ours", async () => {
    await put(path(), '{\n  "model": "x"\n}\n');
    await install(claudeCode, target());
    const edited = (await readFile(path(), "utf8")).replace('"x"', '"y", // mine');
    await writeFile(path(), edited.replace("mine,", "mine\n"));
    await uninstall(claudeCode, target());
    expect(await readFile(path(), "utf8")).toBe('{\n  "model": "y" // mine\n\n}\n');
  });

  it("in which our hook was moved next to another one loses only ours", async () => {
    const entry = (command: string) => `{"type":"command","command":"${command}"}`;
    const text = `{"hooks":{"PermissionRequest":[{"matcher":"*","hooks":[${entry("theirs")}, ${entry("sallyport review plan")}]}]}}`;
    await put(path(), text);
    await uninstall(claudeCode, target());
    expect(await readFile(path(), "utf8")).toBe(text.replace(`, ${entry("sallyport review plan")}`, ""));
  });

  it("that is read-only is refused, and nothing at all is written", async () => {
    await put(path(), "{}");
    await chmod(path(), 0o444);
    await expect(install(claudeCode, target())).rejects.toThrow(/read-only. No changes made/);
    expect(await readdir(dirname(path()))).toEqual(["settings.json"]);
    expect(await readFile(path(), "utf8")).toBe("{}");
  });

  it("that is not JSON is rejected with the position of the error", async () => {
    await put(path(), '{\n  "a": oops\n}');
    await expect(install(claudeCode, target())).rejects.toThrow(/settings\.json: Not valid JSON.*line 2/);
    expect(await readFile(path(), "utf8")).toBe('{\n  "a": oops\n}');
  });

  it("that is not UTF-8 is refused", async () => {
    await put(path(), Uint8Array.of(0x7b, 0xff, 0x7d));
    await expect(install(claudeCode, target())).rejects.toThrow(/not UTF-8/);
  });

  it("that is a symbolic link stays one", async () => {
    await put(join(home, "dotfiles/claude.json"), "{}\n");
    await mkdir(dirname(path()), { recursive: true });
    await symlink(join(home, "dotfiles/claude.json"), path());
    await install(claudeCode, target());
    expect((await lstat(path())).isSymbolicLink()).toBe(true);
    expect(await readFile(join(home, "dotfiles/claude.json"), "utf8")).toContain("review plan");
    await uninstall(claudeCode, target());
    expect(await readFile(path(), "utf8")).toBe("{}\n");
  });

  it("that is a symbolic link to a file that is not there yet stays one", async () => {
    await mkdir(dirname(path()), { recursive: true });
    await symlink("../dotfiles/claude.json", path());
    const link = join(home, "dotfiles/claude.json");
    await install(claudeCode, target());
    expect((await lstat(path())).isSymbolicLink()).toBe(true);
    expect(await readFile(link, "utf8")).toContain("review plan");
    await uninstall(claudeCode, target());
    expect((await lstat(path())).isSymbolicLink()).toBe(true);
    expect(existsSync(link)).toBe(false);
  });

  it("that is a symbolic link to itself is rejected with a readable error", async () => {
    await mkdir(dirname(path()), { recursive: true });
    await symlink(path(), path());
    await expect(install(claudeCode, target())).rejects.toThrow(/Cannot read .*settings\.json/);
  });

  it.each([
    ["there", "settings.json"],
    ["not there", "other.json"],
  ])("%s in a read-only folder is refused, and nothing at all is written", async (_is, name) => {
    const folder = dirname(path());
    await put(join(folder, name), "{}");
    await chmod(folder, 0o555);
    try {
      await expect(install(claudeCode, target())).rejects.toThrow("is read-only. No changes made");
    } finally {
      await chmod(folder, 0o755);
    }
    expect(await readdir(folder)).toEqual([name]);
    expect(await readFile(join(folder, name), "utf8")).toBe("{}");
    expect(existsSync(join(home, "data"))).toBe(false);
  });

  it("keeps its mode; a new one is for its owner alone", async () => {
    await put(path(), "{}");
    await chmod(path(), 0o640);
    await install(claudeCode, target());
    expect((await stat(path())).mode & 0o777).toBe(0o640);
    expect((await stat(claudeCode.edits(target())[1]?.path ?? "")).mode & 0o777).toBe(0o600);
  });

  it("that changes between the diff and the yes is left alone", async () => {
    await put(path(), "{}");
    const changes = await changesToInstall(claudeCode.edits(target()), receiptsIn(home));
    await writeFile(path(), '{"model":"x"}');
    await expect(writeChanges(changes, receiptsIn(home))).rejects.toThrow(/changed by another program/);
    expect(await readFile(path(), "utf8")).toBe('{"model":"x"}');
    expect(existsSync(join(dirname(path()), "commands"))).toBe(false);
  });

  it("is put back when a later file cannot be written", async () => {
    await put(path(), "{}");
    const changes = await changesToInstall(claudeCode.edits(target()), receiptsIn(home));
    const receipts = receiptsIn(home);
    const fullDisk: typeof receipts = {
      ...receipts,
      save: (receipt) =>
        receipt.path === path() ? receipts.save(receipt) : Promise.reject(new Error("ENOSPC: no space left")),
    };
    await expect(writeChanges(changes, fullDisk)).rejects.toThrow(/No changes made: ENOSPC/);
    expect(await readFile(path(), "utf8")).toBe("{}");
    expect(existsSync(join(dirname(path()), "commands"))).toBe(false);
  });

  it("is put back, and its backup is deleted, even if the file that failed cannot be put back", async () => {
    await put(path(), "{}");
    const receipts = receiptsIn(home);
    const changes = await changesToInstall(claudeCode.edits(target()), receipts);
    const command = changes[1]?.target ?? "";
    const takenName: typeof receipts = {
      ...receipts,
      async save(receipt) {
        await receipts.save(receipt);
        if (receipt.path === command) await mkdir(command);
      },
    };
    const written = writeChanges(changes, takenName);
    const reason = `Cannot write ${command}: another file or folder has that name`;
    await expect(written).rejects.toMatchObject({
      code: "unreadable",
      message: `${reason}. Cannot restore ${command}`,
    });
    expect(await readFile(path(), "utf8")).toBe("{}");
    expect(await readdir(join(home, "data"))).toEqual([]);
  });

  it("keeps the backup of an earlier installation if a later one fails", async () => {
    await put(path(), "{}");
    await install(claudeCode, target());
    const receipts = receiptsIn(home);
    const changes = await changesToInstall(claudeCode.edits({ ...target(), live: true }), receipts);
    await writeFile(path(), "{}");
    await expect(writeChanges(changes, receipts)).rejects.toThrow(/changed by another program/);
    const earlier = await receipts.find(path());
    expect(earlier).toMatchObject({ original: "{}", written: expect.stringContaining("review plan") });
    const again = await changesToInstall(claudeCode.edits({ ...target(), live: true }), receipts);
    const fails: typeof receipts = {
      ...receipts,
      async save(receipt) {
        await receipts.save(receipt);
        throw new Error("ENOSPC: no space left");
      },
    };
    await expect(writeChanges(again, fails)).rejects.toThrow();
    expect(await receipts.find(path())).toEqual(earlier);
  });
});

it("is shown as a diff from its file names on, without the line ends of Windows", () => {
  const change = { path: "/s.json", target: "/s.json", purpose: "why", before: '{\r\n  "a": 1\r\n}\r\n' };
  const shown = showChanges([{ ...change, after: '{\r\n  "a": 2\r\n}\r\n' }]);
  expect(shown).toBe(
    '/s.json: why\n--- /s.json\n+++ /s.json\n@@ -1,3 +1,3 @@\n {\n-  "a": 1\n+  "a": 2\n }\n',
  );
});

it("is done for an agent by the name of its program too", () => {
  for (const { id, program } of reviewedAgents)
    expect(reviewedAgentNamed(program)).toBe(reviewedAgentNamed(id));
  expect(() => reviewedAgentNamed("constructor")).toThrow(/Unknown agent: constructor/);
});
