// Generates the manual page sallyport(1) from the command definitions. See man(7) for the macros.

/**
 * Returns the manual page of a commander `program` as troff text. `more` maps a command's full name to the text below
 * its flags; `date` is the release date.
 */
export function manPage(program, { version, date, more }) {
  const commands = withNames(program);
  const [summary, ...rest] = program.description().split("\n");
  return `${[
    `.TH SALLYPORT 1 "${date}" "sallyport ${version}" "User Commands"`,
    // Names of variables and files must not be hyphenated.
    ".nh",
    ".SH NAME",
    `sallyport \\- ${escaped(lowered(summary).replace(/[.:]$/, ""))}`,
    ".SH SYNOPSIS",
    ...commands
      .filter(({ command }) => command.commands.length === 0)
      .flatMap(synopsis)
      .slice(0, -1),
    ".SH DESCRIPTION",
    ...paragraph([summary, ...rest].join(" ")),
    ...moreOf(more[program.name()]),
    ".SH OPTIONS",
    ...flagsOf(program),
    ".SH COMMANDS",
    ...commands.filter(({ command }) => command !== program).flatMap((entry) => section(entry, more)),
  ].join("\n")}\n`;
}

/** Returns the command and its subcommands, with their full names. */
function withNames(command, above = "") {
  const name = `${above} ${command.name()}`.trim();
  const below = command.createHelp().visibleCommands(command);
  return [
    { command, name },
    ...below.filter((child) => child.name() !== "help").flatMap((child) => withNames(child, name)),
  ];
}

function synopsis({ command, name }) {
  return [`.B ${escaped(name)}`, escaped(command.usage().replace("[options]", "[option ...]")), ".br"];
}

function section({ command, name }, more) {
  const parts = command.createHelp().visibleArguments(command);
  return [
    `.SS "${escaped(`${name} ${command.usage()}`)}"`,
    ...paragraph(`${command.description()}.`),
    ...parts.flatMap((argument) => item(argument.name(), argument.description)),
    ...flagsOf(command),
    ...moreOf(more[name]),
  ];
}

function flagsOf(command) {
  const help = command.createHelp();
  const flags = help.visibleOptions(command).filter(({ long }) => long !== "--help" || !command.parent);
  return flags.flatMap((option) => item(help.optionTerm(option), option.description));
}

function item(term, description) {
  return [".TP", `.B ${escaped(term)}`, ...paragraph(description)];
}

/**
 * Formats the text below a command's flags: examples keep their lines, and everything else becomes a
 * paragraph.
 */
function moreOf(text = "") {
  return text
    .trim()
    .split(/\n(?! )/)
    .filter(Boolean)
    .flatMap((block) => {
      const [title, ...lines] = block.split("\n");
      if (lines.length === 0) return [".PP", ...paragraph(title)];
      return [".PP", escaped(title), ".PP", ".nf", ...lines.map(escaped), ".fi"];
    });
}

/** Wraps text to lines of at most 80 characters. */
function paragraph(text) {
  const lines = [];
  for (const word of text.split(" ").map(escaped)) {
    const longer = `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && longer.length <= 80) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

function lowered(text) {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/**
 * Escapes what troff would read as a request, an escape, a hyphen or the end of an argument, and characters beyond
 * ASCII.
 */
function escaped(text) {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll('"', "\\(dq")
    .replace(
      /[^\x20-\x7e]/g,
      (character) => `\\[u${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}]`,
    )
    .replace(/^([.'])/, "\\&$1");
}
