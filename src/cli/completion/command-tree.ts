import type { Command, Option } from "commander";

/** A flag as shells complete it. */
export interface FlagFacts {
  /** "--port"; flags without a long name are not completed. */
  readonly name: string;
  readonly description: string;
  readonly takesValue: boolean;
  /** What the value can be, where that is known. */
  readonly values: readonly string[];
  /** Which paths complete the value. */
  readonly paths: "none" | "files" | "folders";
}

/** One command and what can stand after it. */
export interface CommandFacts {
  /** Its words: "sallyport review plan". */
  readonly path: string;
  readonly description: string;
  readonly flags: readonly FlagFacts[];
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  /** What its argument can be, where that is known. */
  readonly values: readonly string[];
  /** Whether it takes an argument of which nothing is known: the name of a file. */
  readonly takesFiles: boolean;
}

/** Values that are known beforehand, by flag ("--origin") or name of the argument ("agent"). */
export type KnownValues = Readonly<Record<string, readonly string[]>>;

/** The whole tree as a list, from the program down: what every shell's script is made of. */
export function commandTree(program: Command, known: KnownValues, above = ""): readonly CommandFacts[] {
  const path = `${above} ${program.name()}`.trim();
  const visible = program.createHelp().visibleCommands(program);
  const children = visible.filter((command) => command.name() !== "help");
  const own: CommandFacts = {
    path,
    description: program.description(),
    flags: program
      .createHelp()
      .visibleOptions(program)
      .flatMap((option) => flagFacts(option, known)),
    commands: children.map((command) => ({ name: command.name(), description: firstLine(command) })),
    values: program.registeredArguments.flatMap((argument) => known[argument.name()] ?? []),
    takesFiles: program.registeredArguments.some((argument) => known[argument.name()] === undefined),
  };
  return [own, ...children.flatMap((child) => commandTree(child, known, path))];
}

function flagFacts(option: Option, known: KnownValues): FlagFacts[] {
  if (option.long === undefined || option.long === null) return [];
  const takesValue = option.required || option.optional;
  const { long: name, description } = option;
  return [{ name, description, takesValue, values: known[name] ?? [], paths: pathsFor(option) }];
}

/** Reads from a flag's placeholder which paths its value can be: `<file>` and `<path>` any, `<dir>` folders. */
function pathsFor({ flags }: Option): FlagFacts["paths"] {
  if (/<(?:file|path)>/.test(flags)) return "files";
  return flags.includes("<dir>") ? "folders" : "none";
}

function firstLine(command: Command): string {
  return command.description().split("\n")[0] ?? "";
}

/** The pattern by which a `case` of bash and zsh knows every command below the program: "a b"|"a c". */
export function pathsBelow(tree: readonly CommandFacts[]): string {
  return tree
    .slice(1)
    .map(({ path }) => `"${path}"`)
    .join("|");
}

/** Every flag after which a value stands, beside its command: what bash and zsh must know before they offer words. */
export function flagsWithValue(
  tree: readonly CommandFacts[],
): readonly (FlagFacts & { readonly path: string })[] {
  return tree.flatMap(({ path, flags }) =>
    flags.filter(({ takesValue }) => takesValue).map((flag) => ({ ...flag, path })),
  );
}
