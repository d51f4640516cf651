import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { licenses, parseLicenses } from "../../src/cli/licenses.ts";
import { createProgram } from "../../src/cli/program.ts";
import { root } from "../support/documents.ts";

const silent = { note: () => {}, result: async () => true, interactive: false, lostResult: false };

/** Commands without a result: help, the worker processes of the proxy, and MCP, whose stdout is its protocol. */
const WITHOUT_RESULT = new Set(["help", "worker", "mcp"]);

interface Named {
  readonly name: string;
  readonly command: Command;
}

function listCommands(command: Command, above = ""): readonly Named[] {
  const name = `${above} ${command.name()}`.trim();
  return [{ name, command }, ...command.commands.flatMap((child) => listCommands(child, name))];
}

const all = listCommands(createProgram(silent, () => {}));
/** The commands that have an action. */
const actions = all.filter(
  ({ name, command }) => command.commands.length === 0 || name === "sallyport proxy keys",
);

function helpFor(command: Command): string {
  let help = "";
  command.configureOutput({ writeOut: (text) => (help += text) });
  command.outputHelp();
  return help;
}

describe("every command", () => {
  it.each(actions.map(({ name, command }) => [name, command] as const))("%s has --json", (_name, command) => {
    const flags = command.options.map(({ long }) => long);
    expect(flags.includes("--json")).toBe(!WITHOUT_RESULT.has(command.name()));
  });

  it.each(all.map(({ name, command }) => [name, command] as const))(
    "%s has a description, --help, --quiet, --verbose and --debug",
    (name, command) => {
      const help = helpFor(command);
      expect(help).toMatch(new RegExp(`^Usage: ${name}\\b`));
      expect(help).toContain("--help");
      const flags = command.options.map(({ long }) => long);
      expect(flags).toEqual(expect.arrayContaining(["--quiet", "--verbose", "--debug"]));
      if (command.name() !== "worker") expect(command.description()).not.toBe("");
    },
  );
});

describe("sallyport licenses --json", () => {
  it("lists the packages of each text, and texts without packages", async () => {
    const line = "-".repeat(80);
    const text = `MIT License\n\nown\n\n${"=".repeat(80)}\n\nSallyport contains code of these packages.\n\n@a/b 1.0.0: MIT\nc in @a/b 2.1.0-x: Apache-2.0\n\nFirst\n\nSecond\n\n${line}\n\nd 3.0.0: ISC\n\nThird\n`;
    expect(parseLicenses(text)).toEqual([
      { packages: [], text: "MIT License\n\nown" },
      {
        packages: [
          { name: "@a/b", version: "1.0.0", license: "MIT" },
          { name: "c in @a/b", version: "2.1.0-x", license: "Apache-2.0" },
        ],
        text: "First\n\nSecond",
      },
      { packages: [{ name: "d", version: "3.0.0", license: "ISC" }], text: "Third" },
    ]);
  });

  it("names the file that cannot be read", async () => {
    await expect(licenses({ json: true }, silent, `${root}/nowhere/a/b`)).rejects.toMatchObject({
      code: "unreadable",
      message: expect.stringContaining("LICENSE"),
    });
  });
});
