import { mkdirSync, symlinkSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { InstallTarget } from "../../../src/agents/agent.ts";
import { install } from "../../../src/agents/codex/install.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const OTHER = { hooks: [{ type: "command", command: "notify" }] };
const OWN = { hooks: [{ type: "command", command: "sallyport review plan --agent codex" }] };

interface Installed {
  readonly hooks?: readonly object[];
  /** The positions of the trusted Stop hooks, as in `0:0`. */
  readonly trusted?: readonly string[];
  readonly quote?: string;
  /** The folder with hooks.json, the folder whose config.toml stores the trust, and the path of hooks.json in it. */
  readonly folders?: (home: string) => { hooks: string; trust: string; named?: string };
  readonly target?: (home: string) => Partial<InstallTarget>;
}

/** Returns the problem of an installation. */
async function findProblem({
  hooks = [OWN],
  trusted = ["0:0"],
  quote = '"',
  folders = (home) => ({ hooks: join(home, ".codex"), trust: join(home, ".codex") }),
  target = () => ({}),
}: Installed) {
  const home = await temporaryFolder();
  const { hooks: hooksFolder, trust, named = hooksFolder } = folders(home);
  for (const folder of [hooksFolder, trust]) await mkdir(folder, { recursive: true });
  await writeFile(join(hooksFolder, "hooks.json"), JSON.stringify({ hooks: { Stop: hooks } }));
  const state = trusted.map(
    (at) => `[hooks.state.${quote}${join(named, "hooks.json")}:stop:${at}${quote}]\ntrusted_hash = "a"`,
  );
  await writeFile(join(trust, "config.toml"), state.join("\n"));
  const base: InstallTarget = { home, command: "sallyport", argv: ["sallyport"], environment: {} };
  return install.findProblem?.({ ...base, ...target(home) });
}

describe("the installation in Codex CLI", () => {
  it("has no problem if the person has trusted Sallyport's hook", async () => {
    expect(await findProblem({})).toBeUndefined();
    expect(await findProblem({ hooks: [OTHER, OWN], trusted: ["1:0"], quote: "'" })).toBeUndefined();
  });

  it("has a problem if the person has trusted only another hook", async () => {
    const problem = { detail: "hook installed, but Codex does not run it yet" };
    expect(await findProblem({ hooks: [OTHER, OWN] })).toMatchObject(problem);
    expect(await findProblem({ trusted: [] })).toMatchObject(problem);
  });

  it("reads the trust in a project's hook from the person's file, as Codex does", async () => {
    const inProject = (trust: string) =>
      findProblem({
        folders: (home) => ({ hooks: join(home, "project/.codex"), trust: join(home, trust) }),
        target: (home) => ({ project: join(home, "project") }),
      });
    expect(await inProject(".codex")).toBeUndefined();
    expect(await inProject("project/.codex")).toBeDefined();
  });

  it("finds the trust in a hook below $CODEX_HOME, whose links Codex resolves", async () => {
    const problem = await findProblem({
      folders: (home) => {
        mkdirSync(join(home, "dotfiles"));
        symlinkSync(join(home, "dotfiles"), join(home, "link"));
        return { hooks: join(home, "link"), trust: join(home, "link"), named: join(home, "dotfiles") };
      },
      target: (home) => ({ environment: { CODEX_HOME: join(home, "link") } }),
    });
    expect(problem).toBeUndefined();
  });
});
