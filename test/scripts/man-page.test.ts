import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { manPage } from "../../scripts/man-page.mjs";
import { moreHelp } from "../../src/cli/help.ts";
import { createOutput } from "../../src/cli/output.ts";
import { createProgram } from "../../src/cli/program.ts";

const program = createProgram(createOutput(), () => {});
const page = manPage(program, { version: "1.2.3", date: "2026-01-02", more: moreHelp });
/** Returns the visible text, without requests, escapes and line ends. */
const text = readable(page);

function readable(troff: string): string {
  return troff
    .replace(/^\.(SH|SS|TP|PP|B|nf|fi|br|nh|TH) ?/gm, "")
    .replace(/\\\[u([0-9A-F]{4,})\]/g, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))
    .replaceAll("\\(dq", '"')
    .replace(/\\([-&e])/g, (_, sign: string) => ({ "-": "-", "&": "", e: "\\" })[sign] ?? "")
    .replace(/\s+/g, " ");
}

function below(command: Command, above = ""): { name: string; command: Command }[] {
  const name = `${above} ${command.name()}`.trim();
  const shown = command
    .createHelp()
    .visibleCommands(command)
    .filter((child) => child.name() !== "help");
  const children = shown.flatMap((child) => below(child, name));
  return [{ name, command }, ...children];
}

describe("the manual page", () => {
  it.each(below(program))("says of $name what its --help says", ({ name, command }) => {
    const help = command.createHelp();
    if (name !== "sallyport") expect(text).toContain(`${name} ${command.usage()}`);
    expect(text).toContain(command.description().replace(/\s+/g, " "));
    for (const option of help.visibleOptions(command).filter(({ long }) => long !== "--help"))
      expect(text).toContain(`${help.optionTerm(option)} ${option.description}`);
    for (const { name: argument, description } of command.registeredArguments.map((one) => ({
      name: one.name(),
      description: one.description,
    })))
      if (description) expect(text).toContain(`${argument} ${description}`);
    expect(text).toContain((moreHelp[name] ?? "").trim().replace(/\s+/g, " "));
  });

  it("holds nothing that troff would take for a request", () => {
    const requests = page.split("\n").filter((line) => /^['.]/.test(line));
    for (const line of requests) expect(line).toMatch(/^\.(SH|SS|TP|PP|B|nf|fi|br|nh|TH)( |$)/);
    expect(page).toMatch(/^[\n -~]*$/);
  });
});
