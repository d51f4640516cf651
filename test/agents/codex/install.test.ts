import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { InstallTarget } from "../../../src/agents/agent.ts";
import { install } from "../../../src/agents/codex/install.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const OTHER = { hooks: [{ type: "command", command: "notify" }] };
const OWN = { hooks: [{ type: "command", command: "sallyport review plan --agent codex" }] };

/** Returns the problem of an installation whose trusted Stop hooks have these positions, as in `0:0`. */
async function findProblem(hooks: readonly object[], trusted: readonly string[], quote = '"') {
  const home = await temporaryFolder();
  const folder = join(home, ".codex");
  await mkdir(folder);
  const hooksFile = join(folder, "hooks.json");
  await writeFile(hooksFile, JSON.stringify({ hooks: { Stop: hooks } }));
  const state = trusted.map(
    (at) => `[hooks.state.${quote}${hooksFile}:stop:${at}${quote}]\ntrusted_hash = "a"`,
  );
  await writeFile(join(folder, "config.toml"), state.join("\n"));
  const target: InstallTarget = { home, command: "sallyport", argv: ["sallyport"], environment: {} };
  return install.findProblem?.(target);
}

describe("the installation in Codex CLI", () => {
  it("has no problem if the person has trusted Sallyport's hook", async () => {
    expect(await findProblem([OWN], ["0:0"])).toBeUndefined();
    expect(await findProblem([OTHER, OWN], ["1:0"], "'")).toBeUndefined();
  });

  it("has a problem if the person has trusted only another hook", async () => {
    const problem = { detail: "hook installed, but Codex does not run it yet" };
    expect(await findProblem([OTHER, OWN], ["0:0"])).toMatchObject(problem);
    expect(await findProblem([OWN], [])).toMatchObject(problem);
  });
});
