import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { createProgram } from "../../src/cli/program.ts";

const silent = { note: () => {}, result: async () => true, interactive: false, lostResult: false };

/** The program, whose help goes to `printed`. */
function programOf(columns: number) {
  const printed: string[] = [];
  const program = createProgram(silent, () => {});
  for (const command of all(program))
    command.configureOutput({ writeOut: (text) => printed.push(text), getOutHelpWidth: () => columns });
  return { program, printed };
}

function all(command: Command): Command[] {
  return [command, ...command.commands.flatMap(all)];
}

const readHelp = (...args: string[]) => {
  const { program, printed } = programOf(80);
  return program.parseAsync(["help", ...args], { from: "user" }).then(() => printed.join(""));
};

describe("help", () => {
  it("fits a terminal of 80 columns, with examples", () => {
    const { program, printed } = programOf(80);
    for (const command of all(program)) command.outputHelp();
    const lines = printed.join("").split("\n");
    expect(lines.length).toBeGreaterThan(150);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  });

  it("wraps sentences in a narrower terminal", () => {
    const { program, printed } = programOf(50);
    program.commands.find((command) => command.name() === "review")?.outputHelp();
    expect(printed.join("")).toMatch(/^A page opens in the browser\. Drafts are saved$/m);
  });

  it("is that of the command that the arguments name", async () => {
    expect(await readHelp()).toMatch(/^Usage: sallyport \[/);
    expect(await readHelp("proxy")).toMatch(/^Usage: sallyport proxy \[/);
    expect(await readHelp("review", "plan")).toMatch(/^Usage: sallyport review plan /);
  });

  it.each([[["reveiw"]], [["review", "plna"]], [["proxy", "worker"]], [["doctor", "more"]]])(
    "says of %j which word it does not know",
    async (args) => {
      await expect(readHelp(...args)).rejects.toMatchObject({
        code: "usage",
        message: `unknown command '${args.at(-1)}'`,
      });
    },
  );

  it("lists every group of a usage report", async () => {
    const groups = "key, team, model, upstream, day, hour, minute or tag:NAME";
    expect((await readHelp("proxy", "usage")).replace(/\s+/g, " ")).toContain(groups);
  });

  it("is also available as a subcommand", async () => {
    const { program, printed } = programOf(80);
    await program.parseAsync(["review", "help", "code"], { from: "user" });
    expect(printed.join("")).toMatch(/^Usage: sallyport review code /);
    await expect(program.parseAsync(["review", "help", "doctor"], { from: "user" })).rejects.toThrow(
      /doctor/,
    );
  });
});
