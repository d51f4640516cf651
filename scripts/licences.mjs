// Lists the packages that went into a bundle, with their licences, and refuses those whose terms we have not accepted.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, sep } from "node:path";

const ACCEPTED = new Set([
  "MIT",
  "Apache-2.0",
  "ISC",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "0BSD",
  "BlueOak-1.0.0",
  "(MPL-2.0 OR Apache-2.0)",
  "Unlicense",
  "CC0-1.0",
  "Python-2.0",
]);

/** The folders of the packages that the chunks of these bundles were made from. */
export function packagesIn(outputs) {
  const modules = outputs.flatMap(({ output }) => output.flatMap((chunk) => chunk.moduleIds ?? []));
  return [...new Set(modules.map(packageFolder).filter(Boolean))].sort();
}

/** Writes names, versions and licence texts to `file`. Throws, naming them, where a licence is not accepted. */
export function writeLicences(folders, file) {
  const packages = folders.map(describe);
  const refused = packages.filter(({ licence }) => !ACCEPTED.has(licence));
  if (refused.length > 0)
    throw new Error(
      `Licences not accepted: ${refused.map(({ name, licence }) => `${name} (${licence})`).join(", ")}`,
    );
  const sections = packages.map(
    ({ name, version, licence, text }) => `${name} ${version}: ${licence}\n\n${text.trim()}\n`,
  );
  writeFileSync(file, `Sallyport contains these packages.\n\n${sections.join(`\n${"-".repeat(80)}\n\n`)}`);
}

function packageFolder(id) {
  const marker = `${sep}node_modules${sep}`;
  const at = id.lastIndexOf(marker);
  if (at < 0) return undefined;
  const [first = "", second = ""] = id.slice(at + marker.length).split(/[\\/]/);
  return join(id.slice(0, at + marker.length), first.startsWith("@") ? join(first, second) : first).replace(
    /^\0+/,
    "",
  );
}

function describe(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  const text =
    file && existsSync(join(folder, file))
      ? readFileSync(join(folder, file), "utf8")
      : `(${name} carries no licence text.)`;
  return { name, version, licence: named(license) ?? recognised(text), text };
}

function named(license) {
  const name = typeof license === "string" ? license : license?.type;
  return name?.replace(/^apache-2\.0$/i, "Apache-2.0");
}

/** For packages that carry the text but do not name it. */
function recognised(text) {
  return text.startsWith("The MIT License") ? "MIT" : "none";
}
