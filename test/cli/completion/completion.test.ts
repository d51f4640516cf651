import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { completion } from "../../../src/cli/completion/completion.ts";
import { createProgram } from "../../../src/cli/program.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

async function scriptFor(shell: string): Promise<string> {
  let printed = "";
  const output = {
    interactive: false,
    note: () => {},
    result: async (text: string) => {
      printed = text;
      return true;
    },
  };
  await completion(
    shell,
    createProgram(output, () => {}),
    output,
  );
  return printed;
}

/** What a real bash offers for the last of these words. */
async function offered(...words: string[]): Promise<string[]> {
  const folder = await temporaryFolder();
  const script = join(folder, "completion.bash");
  writeFileSync(script, await scriptFor("bash"));
  const program = `. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _sallyport; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const args = ["--noprofile", "--norc", "-c", program, "bash", script, "sallyport", ...words];
  return execFileSync("bash", args, { encoding: "utf8" }).split("\n").filter(Boolean);
}

describe("completion in bash", () => {
  it.each([
    [["rev"], ["review"]],
    [
      ["review", ""],
      ["plan", "code", "last"],
    ],
    [["proxy", "con"], ["connect"]],
    [["review", "plan", "--no"], ["--no-open"]],
    [["review", "plan", "--json", "--exit"], ["--exit-code"]],
    [
      ["review", "code", "--origin", ""],
      ["claude-code", "opencode"],
    ],
    [["install", "cl"], ["claude-code"]],
    [["install", "--yes", "gem"], ["gemini-cli"]],
    [["proxy", "start", "--auth-mode", "st"], ["strict"]],
    [
      ["completion", ""],
      ["bash", "zsh", "fish"],
    ],
  ])("%j → %j", async (words, expected) => {
    expect(await offered(...words)).toEqual(expected);
  });

  it.each([[["review", "plan", "PLA"]], [["proxy", "start", "--config", "co"]]])(
    "leaves %j to the names of files",
    async (words) => {
      expect(await offered(...words)).toEqual([]);
    },
  );
});

describe("completion scripts", () => {
  it.each(["bash", "zsh", "fish"])("for %s know every command", async (shell) => {
    const script = await scriptFor(shell);
    for (const path of ["sallyport review plan", "sallyport proxy connect", "sallyport uninstall"])
      expect(script).toContain(path);
  });

  it("refuse a shell they do not know, and name those they do", async () => {
    await expect(scriptFor("tcsh")).rejects.toMatchObject({
      code: "usage",
      hint: expect.stringContaining("bash, zsh, fish"),
    });
  });
});
