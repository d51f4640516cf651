// Lists the packages that are in dist/ with their license texts, and refuses licenses that we have not accepted.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

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
  "PSF-2.0",
]);
/** Code of other projects inside a package, where no source map shows it. */
const CARRIED = { undici: ["llhttp"] };
const MODULES = /^(.*[\\/]node_modules[\\/])((?:@[^\\/]+[\\/])?[^\\/]+)/s;

/**
 * Returns a rolldown and Vite plugin that adds the id of every module that goes into a bundle to `ids`. It looks before other
 * plugins can take chunks out of the bundle, as pages that are one file do.
 */
export function moduleCollector(ids) {
  return {
    name: "module-collector",
    generateBundle: {
      order: "pre",
      handler(_options, bundle) {
        for (const { moduleIds = [] } of Object.values(bundle)) for (const id of moduleIds) ids.add(id);
      },
    },
  };
}

/**
 * Returns the packages that modules with these ids came from: `{name, version, license, text}`, in the order of their names.
 * Dependencies of packages are among them, since packages publish files in which their dependencies are bundled. What
 * `leftOut` names is not, as far as nothing else leads to it. Throws, naming them, for packages whose license is not accepted
 * or whose license text is missing.
 */
export function packagesOf(ids, { root, leftOut = [] }) {
  const stored = storedTexts(resolve(root, "scripts/licenses"));
  const folders = new Set();
  const follow = (folder) => {
    if (folders.has(folder)) return;
    folders.add(folder);
    for (const name of Object.keys(manifestOf(folder).dependencies ?? {})) {
      const found = leftOut.includes(name) ? undefined : installed(folder, name);
      if (found) follow(found);
    }
  };
  const files = [...ids].map((id) => id.replace(/^\0+/, "").replace(/\?.*$/s, ""));
  for (const folder of files.map(packageFolder).filter(Boolean)) follow(folder);
  const packages = [...folders].map((folder) => describe(folder, stored));
  const listed = new Set(packages.map(({ name }) => name));
  for (const [inside, of] of [...prebundled(files), ...carried(listed)]) {
    if (listed.has(inside)) continue;
    listed.add(inside);
    const folder = join(root, "node_modules", inside);
    const known = stored.get(inside) ?? (existsSync(folder) ? describe(folder, stored) : {});
    packages.push({ ...known, name: inside, version: `in ${of}` });
  }
  // Their own few lines of runtime are in what they build, not the packages they depend on.
  for (const tool of toolsOf(ids)) packages.push(describe(join(root, "node_modules", tool), stored));
  refuse(packages);
  return packages.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/** Returns one text of all packages, each license text once. */
export function licensesText(packages) {
  const byText = new Map();
  for (const one of packages) byText.set(one.text, [...(byText.get(one.text) ?? []), one]);
  const sections = [...byText].map(([text, sharing]) => {
    const names = sharing.map(({ name, version, license }) => `${name} ${version}: ${license}`);
    return `${names.join("\n")}\n\n${text}\n`;
  });
  return `Sallyport contains code of these packages.\n\n${sections.join(`\n${"-".repeat(80)}\n\n`)}`;
}

/** Returns the license of the Node.js `program`, which lies beside it or where its package put it. Throws where there is none. */
export function nodeLicense(program) {
  const folder = dirname(program);
  const candidates = [
    "../LICENSE",
    "LICENSE",
    ...["nodejs", "node"].flatMap((name) => [
      `../share/doc/${name}/LICENSE`,
      `../share/doc/${name}/copyright`,
    ]),
    ...["nodejs", "node"].map((name) => `../share/licenses/${name}/LICENSE`),
  ].map((path) => join(folder, path));
  const found = candidates.find((path) => existsSync(path) && /Node\.js/.test(readFileSync(path, "utf8")));
  if (!found)
    throw new Error(
      `Cannot find the license of ${program}, which the executable contains. Pass it with --node-license FILE; ` +
        "it is the file LICENSE of the Node.js release",
    );
  return readFileSync(found, "utf8");
}

function packageFolder(path) {
  const match = MODULES.exec(path);
  return match ? `${match[1]}${match[2]}` : undefined;
}

/** Names of packages whose code is in files of other packages, as source maps beside them tell. */
function prebundled(files) {
  return files.flatMap((file) => {
    const map = `${file}.map`;
    if (!packageFolder(file) || !existsSync(map)) return [];
    const { sources = [] } = JSON.parse(readFileSync(map, "utf8"));
    const { name, version } = manifestOf(packageFolder(file));
    const names = sources.map((source) => MODULES.exec(`/${source}`)?.[2].replaceAll("\\", "/"));
    return names.filter((found) => found && found !== name).map((found) => [found, `${name} ${version}`]);
  });
}

function carried(names) {
  return Object.entries(CARRIED).flatMap(([of, inside]) =>
    names.has(of) ? inside.map((name) => [name, of]) : [],
  );
}

function toolsOf(ids) {
  return ["rolldown", "vite"].filter((tool) => [...ids].some((id) => id.startsWith(`\0${tool}/`)));
}

/** Finds a dependency as Node.js does: in the package's own folder, then above it. */
function installed(folder, name) {
  const found = join(folder, "node_modules", name);
  if (existsSync(join(found, "package.json"))) return found;
  const above = dirname(folder);
  return above === folder ? undefined : installed(above, name);
}

function manifestOf(folder) {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}

function describe(folder, stored) {
  const { name, version, license, licenses } = manifestOf(folder);
  const text = textIn(folder) || stored.get(name)?.text;
  return { name, version, license: named(license ?? licenses?.[0]) ?? recognized(text), text };
}

/** The license and notice files of a package, or the license in its README. */
function textIn(folder) {
  const files = readdirSync(folder)
    .filter((file) => /^(licen[cs]e|copying|notice|unlicense)(-[\w.-]+)?(\.(md|txt))?$/i.test(file))
    .sort();
  if (files.length > 0)
    return files.map((file) => cleaned(readFileSync(join(folder, file), "utf8"))).join("\n\n");
  const readme = readdirSync(folder).find((file) => /^readme(\.md)?$/i.test(file));
  const section =
    readme && /^#+ *licen[cs]e *\n(.*)/ims.exec(readFileSync(join(folder, readme), "utf8"))?.[1];
  return section?.includes("Permission is hereby granted") ? cleaned(section) : "";
}

/** Vite's file goes on with the licenses of what its own program is bundled with, none of which is in what it builds. */
function cleaned(text) {
  return text
    .replaceAll("\r\n", "\n")
    .split(/^# Licenses of bundled dependencies$/m)[0]
    .trim();
}

/** Texts for packages that publish none: name → license and text. A file's first line is "NAME, NAME: LICENSE". */
function storedTexts(folder) {
  const texts = readdirSync(folder).flatMap((file) => {
    const [, names, license, text] =
      /^([^\n]*): ([^\n]*)\n(.*)/s.exec(readFileSync(join(folder, file), "utf8")) ?? [];
    return names.split(", ").map((name) => [name, { license, text: text.trim() }]);
  });
  return new Map(texts);
}

function named(license) {
  const name = typeof license === "string" ? license : license?.type;
  return name?.replace(/^apache-2\.0$/i, "Apache-2.0");
}

/** For packages that carry the text but do not name it. */
function recognized(text) {
  return text?.startsWith("The MIT License") ? "MIT" : undefined;
}

function refuse(packages) {
  const refused = packages.filter(({ license }) => !ACCEPTED.has(license));
  if (refused.length > 0)
    throw new Error(
      `Licenses not accepted: ${refused.map(({ name, license }) => `${name} (${license})`).join(", ")}`,
    );
  const without = packages.filter(({ text }) => !text);
  if (without.length > 0)
    throw new Error(
      `No license text: ${without.map(({ name }) => name).join(", ")}. Add it to scripts/licenses/`,
    );
}
