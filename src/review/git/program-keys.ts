/**
 * Names of settings that git takes a program from, by section, in lower case as `git config --list` prints them. `*` stands
 * for every name of the section. From git's documentation of its configuration, up to 2.55, and Git LFS's. Sections that git's
 * own scripts and graphical programs read are listed too: a name too many costs nothing.
 */
const PROGRAM_NAMES: Readonly<Record<string, readonly string[]>> = {
  alias: ["*"],
  browser: ["cmd", "path"],
  core: [
    "alternaterefscommand",
    "askpass",
    "editor",
    "fsmonitor",
    "gitproxy",
    "hookspath",
    "pager",
    "sshcommand",
  ],
  credential: ["helper"],
  diff: ["command", "external", "guitool", "textconv", "tool"],
  difftool: ["cmd", "path"],
  filter: ["clean", "process", "required", "smudge"],
  gc: ["recentobjectshook"],
  gpg: ["defaultkeycommand", "program"],
  guitool: ["cmd"],
  help: ["browser"],
  hook: ["command", "enabled", "event"],
  imap: ["tunnel"],
  init: ["templatedir"],
  instaweb: ["browser", "httpd"],
  interactive: ["difffilter"],
  lfs: ["args", "clean", "path", "smudge"],
  man: ["cmd", "path", "viewer"],
  merge: ["driver", "guitool", "tool"],
  mergetool: ["cmd", "path"],
  pager: ["*"],
  receive: ["procreceiverefs"],
  remote: ["receivepack", "uploadpack", "vcs"],
  sendemail: ["cccmd", "headercmd", "sendmailcmd", "smtpserver", "tocmd"],
  sequence: ["editor"],
  submodule: ["update"],
  tar: ["command"],
  trailer: ["cmd", "command"],
  uploadpack: ["packobjectshook"],
  web: ["browser"],
};

/**
 * Whether git may run what a setting's value says. The key is `section.name` or `section.subsection.name`, where the
 * subsection may be anything: empty, with dots, with an equals sign.
 */
export function isProgramKey(key: string): boolean {
  const section = key.slice(0, key.indexOf("."));
  const names = Object.hasOwn(PROGRAM_NAMES, section) ? PROGRAM_NAMES[section] : undefined;
  return names !== undefined && (names.includes("*") || names.includes(key.slice(key.lastIndexOf(".") + 1)));
}

/** The value that takes a program away: empty, but where git refuses to run at all with an empty one. */
export function blankProgram(key: string): string {
  if (/^(filter\..*\.required|hook\..*enabled)$/s.test(key)) return "false";
  return /^submodule\..*update$/s.test(key) ? "none" : "";
}
