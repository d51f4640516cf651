/** Languages that are identified by the whole file name. */
const BY_NAME = new Map(
  Object.entries({
    dockerfile: "dockerfile",
    containerfile: "dockerfile",
    makefile: "makefile",
    gnumakefile: "makefile",
    "cmakelists.txt": "cmake",
    justfile: "just",
    codeowners: "codeowners",
    gemfile: "ruby",
    rakefile: "ruby",
    jenkinsfile: "groovy",
    ".gitignore": "text",
    ".bashrc": "bash",
    ".zshrc": "bash",
    ".env": "dotenv",
  }),
);

/** Languages that are identified by the extension. */
const BY_EXTENSION = new Map(
  Object.entries({
    htm: "html",
    xhtml: "html",
    pyi: "python",
    pyw: "python",
    rbi: "ruby",
    kts: "kotlin",
    markdown: "markdown",
    gitignore: "text",
    lock: "text",
    tpl: "html",
    bzl: "python",
    ino: "cpp",
    phtml: "php",
    webmanifest: "json",
    map: "json",
    ipynb: "json",
    csproj: "xml",
    plist: "xml",
    conf: "ini",
    cfg: "ini",
  }),
);

/**
 * Returns the highlighter's name for a file's language, by the file's name or, if the name is not known, its extension;
 * `text` without an extension. Extensions that are not listed here are returned in lower case for the highlighter.
 */
export function detectLanguage(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  const known = BY_NAME.get(name);
  if (known !== undefined) return known;
  if (name.startsWith("dockerfile")) return "dockerfile";
  const dot = name.lastIndexOf(".");
  if (dot < 0) return "text";
  const extension = name.slice(dot + 1);
  return BY_EXTENSION.get(extension) ?? extension;
}
