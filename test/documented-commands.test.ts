import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { proxyClientNamed, reviewedAgents } from "../src/agents/registry.ts";
import { createProgram } from "../src/cli/program.ts";
import { codeBlocks, documents, inlineCode, read, root } from "./support/documents.ts";

const silent = { note: () => {}, result: async () => true, interactive: false, lostResult: false };
const program = () => createProgram(silent, () => {});

/** A command line in a document, without the parts that only a shell interprets. */
interface CommandLine {
  readonly document: string;
  readonly line: string;
}

/** Returns the words after `sallyport`, up to a comment, a pipe or another shell operator. */
function splitArguments(text: string): string[] {
  const [own = ""] = text.split(/\s#|[|>&;)"]|…/);
  return own.trim().split(/\s+/).filter(Boolean);
}

const inBlocks = (document: string): CommandLine[] =>
  codeBlocks(document)
    .filter(({ language }) => language === "sh")
    .flatMap(({ text }) =>
      [...text.replace(/#.*$/gm, "").matchAll(/\bsallyport (?=[a-z-])([^\n]*)/g)].map(([, line = ""]) => ({
        document,
        line,
      })),
    );

const inSentences = (document: string): CommandLine[] =>
  inlineCode(document).flatMap((code) => {
    const [, line] = /^(?:exec )?sallyport ([a-z-].*)$/.exec(code) ?? [];
    return line === undefined ? [] : [{ document, line }];
  });

/** The examples below the flags in `--help`, and the variables and commands in its text. */
function inHelp(command: Command, above = ""): CommandLine[] {
  const name = `${above} ${command.name()}`.trim();
  let help = "";
  command.configureOutput({ writeOut: (text) => (help += text) });
  command.outputHelp();
  const examples = help.split(/^Examples?:$/m)[1] ?? "";
  const lines = [...examples.matchAll(/\bsallyport (?=[a-z-])([^\n]*)/g)].map(([, line = ""]) => ({
    document: `${name} --help`,
    line: line.split(/\s{2,}|\.$/)[0] ?? "",
  }));
  return [...lines, ...command.commands.flatMap((child) => inHelp(child, name))];
}

const lines = [
  ...documents.flatMap((document) => [...inBlocks(document), ...inSentences(document)]),
  ...inHelp(program()),
];

/** Returns the problem of a command line; undefined if it can be run. */
function findProblem(line: string): string | undefined {
  let command = program();
  const args = splitArguments(line);
  for (;;) {
    const child = command.commands.find((each) => each.name() === args[0]);
    if (!child) break;
    command = child;
    args.shift();
  }
  const { operands, unknown } = command.parseOptions(args);
  if (unknown.length > 0) return `unknown: ${unknown.join(" ")}`;
  const named = operands.find((operand) => command.commands.length > 0 && operand !== "…");
  if (named !== undefined) return `no command ${named}`;
  const max = command.registeredArguments.some(({ variadic }) => variadic)
    ? Number.POSITIVE_INFINITY
    : command.registeredArguments.length;
  if (operands.length > max) return `too many words: ${operands.join(" ")}`;
  return findNameProblem(command, operands[0]);
}

/** AGENT stands for any agent. */
function findNameProblem(command: Command, name: string | undefined): string | undefined {
  if (name === undefined || /^[A-Z]+$/.test(name)) return undefined;
  if (/^(un)?install$/.test(command.name()) && !reviewedAgents.some(({ id }) => id === name))
    return `no agent ${name}`;
  if (/^(dis)?connect$/.test(command.name())) proxyClientNamed(name);
  return undefined;
}

describe("the commands that documents and help show", () => {
  it("are found", () => {
    expect(lines.length).toBeGreaterThan(60);
    expect(new Set(lines.map(({ document }) => document)).size).toBeGreaterThan(12);
  });

  it.each(lines)("$document: sallyport $line", ({ line }) => {
    expect(findProblem(line)).toBeUndefined();
  });

  it.each([
    ["proxy strat", "no command strat"],
    ["review plan --prot 3", "unknown: --prot 3"],
    ["review plan a.md b.md", "too many words: a.md b.md"],
    ["install claude", "no agent claude"],
  ])("would not be passed over as %s", (line, problem) => {
    expect(findProblem(line)).toBe(problem);
  });

  it("name every command and flag there is, in some guide", () => {
    const all = documents.map(read).join("\n");
    const missing = flagsOf(program()).filter(({ flag }) => !all.includes(flag));
    expect(missing).toEqual([]);
  });

  it("read only files that are there", () => {
    const named = documents.flatMap((document) =>
      [...read(document).matchAll(/\bexamples\/[\w.-]+/g)].map(([path]) => path),
    );
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});

function flagsOf(command: Command): { command: string; flag: string }[] {
  const own = command.options.map(({ long }) => ({ command: command.name(), flag: long ?? "" }));
  return [...own, ...command.commands.flatMap(flagsOf)];
}

describe("the commands of vitest in documents", () => {
  it("name the project that contains the file", () => {
    const slow = /const SLOW = \[([^\]]*)\]/.exec(read("vitest.config.ts"))?.[1] ?? "";
    const wrong = documents.flatMap((document) =>
      [...read(document).matchAll(/vitest run --project (\w+) test\/e2e\/([\w-]+)\.test\.ts/g)]
        .filter(([, project, name]) => (project === "slow") !== slow.includes(`"${name}"`))
        .map(([command]) => `${document}: ${command}`),
    );
    expect(slow).toContain('"races"');
    expect(wrong).toEqual([]);
  });
});
