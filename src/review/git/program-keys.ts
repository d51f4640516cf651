/**
 * Names of settings from which git takes a program, by section, in lower case as `git config --list` prints them. `*`
 * stands for every name of the section. Source: the configuration reference of git, up to 2.55, and of Git LFS.
 * Sections that git's own scripts and graphical programs read are included; an extra name does no harm.
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
 * Reports whether git may run the value of a setting as a program. The key is `section.name` or
 * `section.subsection.name`; the subsection can be empty or contain dots and equals signs.
 */
export function isProgramKey(key: string): boolean {
  const section = key.slice(0, key.indexOf("."));
  const names = Object.hasOwn(PROGRAM_NAMES, section) ? PROGRAM_NAMES[section] : undefined;
  return names !== undefined && (names.includes("*") || names.includes(key.slice(key.lastIndexOf(".") + 1)));
}

/** Returns the value that disables a program: empty, except where git fails with an empty value. */
export function blankProgram(key: string): string {
  if (/^(filter\..*\.required|hook\..*enabled)$/s.test(key)) return "false";
  return /^submodule\..*update$/s.test(key) ? "none" : "";
}
