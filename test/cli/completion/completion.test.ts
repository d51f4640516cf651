import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { completion } from "../../../src/cli/completion/completion.ts";
import { createProgram } from "../../../src/cli/program.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

async function scriptFor(shell: string): Promise<string> {
  let printed = "";
  const output = {
    interactive: false,
    lostResult: false,
    note: () => {},
    result: async (text: string) => {
      printed = text;
      return true;
    },
  };
  await completion(
    shell,
    { json: false },
    createProgram(output, () => {}),
    output,
  );
  return printed;
}

/** Returns the completions that a real bash offers for the last of these words. */
async function offered(...given: string[]): Promise<string[]> {
  const folder = await temporaryFolder();
  const script = join(folder, "completion.bash");
  writeFileSync(script, await scriptFor("bash"));
  const program = `. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _sallyport; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const args = ["--noprofile", "--norc", "-c", program, "bash", script, "sallyport", ...given];
  return execFileSync("bash", args, { encoding: "utf8" }).split("\n").filter(Boolean);
}

/** Returns the arguments that the command receives when lines, including TAB, are typed into a bash in a terminal. */
async function typed(...lines: string[]): Promise<string[]> {
  const folder = await temporaryFolder();
  writeFileSync(join(folder, "completion.bash"), await scriptFor("bash"));
  writeFileSync(join(folder, "zeta.md"), "");
  mkdirSync(join(folder, "sub dir"));
  const command = `sallyport() { printf '<%s>' "$@"; echo; }; . ./completion.bash; PS1='ready '`;
  writeFileSync(join(folder, "start.bash"), `${command}; bind 'set enable-bracketed-paste off'\n`);
  const bash = "bash --noprofile --rcfile start.bash -i";
  const args =
    process.platform === "darwin" ? ["-q", "/dev/null", ...bash.split(" ")] : ["-qec", bash, "/dev/null"];
  const env = { PATH: process.env["PATH"], HOME: folder, TERM: "dumb" };
  const terminal = spawn("script", args, { cwd: folder, env, stdio: ["pipe", "pipe", "inherit"] });
  let seen = "";
  terminal.stdout.setEncoding("utf8");
  for await (const text of terminal.stdout) {
    seen += text;
    // Types each line once the shell waits for input, then ends the input.
    if (seen.endsWith("ready ")) {
      seen += "\n";
      terminal.stdin.write(lines.length > 0 ? `${lines.shift()}\n` : "exit\n");
    }
  }
  return seen.split(/[\r\n]+/).filter((line) => line.startsWith("<"));
}

describe("completion in an interactive bash", () => {
  it("completes commands, flags, values after = or a space, and files where an argument may be one", async () => {
    const lines = [
      "sallyport rev\tpl\t--orig\tcl\t--json ze\t",
      "sallyport review plan --origin=op\t--ready-file=ze\t",
      "sallyport review code --repo su\t",
      "sallyport proxy conn\tclaude\t",
      "sallyport doctor ze\t",
      "sallyport review plan --port ze\t",
      "sallyport help review la\t",
    ];
    expect(await typed(...lines)).toEqual([
      "<review><plan><--origin><claude-code><--json><zeta.md>",
      "<review><plan><--origin=opencode><--ready-file=zeta.md>",
      "<review><code><--repo><sub dir/>",
      "<proxy><connect><claude-code>",
      "<doctor><ze>",
      "<review><plan><--port><ze>",
      "<help><review><last>",
    ]);
  });
});

describe("completion in bash", () => {
  it.each([
    [["rev"], ["review"]],
    [
      ["review", ""],
      ["plan", "code", "files", "pr", "last", "wait", "comment", "reply", "refresh", "status", "list", "end"],
    ],
    [["proxy", "con"], ["connect"]],
    [
      ["run", ""],
      ["claude-code", "opencode", "codex", "gemini-cli", "qwen", "kilo", "copilot"],
    ],
    [["review", "plan", "--no"], ["--no-open"]],
    [["review", "plan", "--json", "--exit"], ["--exit-code"]],
    [
      ["review", "code", "--origin", ""],
      ["claude-code", "opencode"],
    ],
    [
      ["review", "code", "--origin", "="],
      ["claude-code", "opencode"],
    ],
    [["review", "code", "--origin", "=", "cl"], ["claude-code"]],
    [
      ["install", "cl"],
      ["claude-code", "cline"],
    ],
    [["install", "--yes", "gem"], ["gemini-cli"]],
    [["proxy", "start", "--auth-mode", "st"], ["strict"]],
    [["proxy", "keys", "create", "--role", "a"], ["admin"]],
    [
      ["proxy", "import", ""],
      ["ccr", "litellm"],
    ],
    [["docs", "how-to/tro"], ["how-to/troubleshoot"]],
    [
      ["completion", ""],
      ["bash", "zsh", "fish", "powershell"],
    ],
  ])("%j → %j", async (args, expected) => {
    expect(await offered(...args)).toEqual(expected);
  });

  it.each([[["review", "plan", "PLA"]], [["proxy", "start", "--config", "co"]]])(
    "leaves %j to the names of files",
    async (args) => {
      expect(await offered(...args)).toEqual([]);
    },
  );
});

describe("completion scripts", () => {
  it.each(["bash", "zsh", "fish", "powershell"])("know every command: %s", async (shell) => {
    const script = await scriptFor(shell);
    for (const path of ["sallyport review plan", "sallyport proxy connect", "sallyport uninstall"])
      expect(script).toContain(path);
  });

  it("for PowerShell quote every text, and have balanced brackets outside of them", async () => {
    const script = await scriptFor("powershell");
    expect(script).toContain("'sallyport review plan' = @{");
    expect(script).toContain(
      "@{ Name = '--auth-mode'; Help = 'which calls require a key: off, strict, all_except_health or auto (default: auto, which is off unless other machines can connect or a virtual key exists)'; TakesValue = $true; Values = @('off', 'strict', 'all_except_health', 'auto') }",
    );
    const code = script
      .replace(/#.*$/gm, "")
      .replace(/'(?:[^']|'')*'/g, "")
      .replace(/"[^"\n]*"/g, "");
    for (const [open, close] of ["{}", "()", "[]"])
      expect(code.split(open ?? "").length).toBe(code.split(close ?? "").length);
    expect(code).not.toMatch(/['"]/);
  });

  it("reject an unknown shell and list the known ones", async () => {
    await expect(scriptFor("tcsh")).rejects.toMatchObject({
      code: "usage",
      hint: expect.stringContaining("bash, zsh, fish"),
    });
  });
});
