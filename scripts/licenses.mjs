// Lists the packages in dist/ with their license texts, and rejects licenses that are not accepted.
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
/** Projects whose code is in a package but in no source map, by package. */
const CARRIED = { undici: ["llhttp"] };
/** Data of other projects in files of this project. */
const DATA = { "src/proxy/models/model-data.json": ["@oh-my-pi/pi-catalog", "models.dev"] };
const MODULES = /^(.*[\\/]node_modules[\\/])((?:@[^\\/]+[\\/])?[^\\/]+)/s;

/**
 * Returns a rolldown and Vite plugin that adds the id of every bundled module to `ids`. It runs before other plugins
 * remove chunks from the bundle, as the plugin for single-file pages does.
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
 * Returns the packages that modules with these ids come from: `{name, version, license, text}`, sorted by name. The
 * result includes dependencies of packages, because published files may bundle them, and excludes those in `leftOut`
 * unless one of the modules comes from them. Throws an error with the names of packages whose license is not accepted
 * or has no text.
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
  for (const [inside, of] of [...prebundled(files), ...carried(listed), ...dataIn(files, root)]) {
    if (listed.has(inside)) continue;
    listed.add(inside);
    const folder = join(root, "node_modules", inside);
    const known = stored.get(inside) ?? (existsSync(folder) ? describe(folder, stored) : {});
    packages.push({ ...known, name: inside, version: `in ${of}` });
  }
  // Only the small runtime of these tools is in the output, not the packages that they depend on.
  for (const tool of toolsOf(ids)) packages.push(describe(join(root, "node_modules", tool), stored));
  refuse(packages);
  return packages.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/** Returns one text with all packages and each license text once. */
export function licensesText(packages) {
  const byText = new Map();
  for (const one of packages) byText.set(one.text, [...(byText.get(one.text) ?? []), one]);
  const sections = [...byText].map(([text, sharing]) => {
    const names = sharing.map(({ name, version, license }) => `${name} ${version}: ${license}`);
    return `${names.join("\n")}\n\n${text}\n`;
  });
  return `Sallyport contains code of these packages.\n\n${sections.join(`\n${"-".repeat(80)}\n\n`)}`;
}

/** Returns the license of the Node.js `program` from its folder or its package. Throws if there is none. */
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

/** Returns pairs from source maps: a package whose code is in a file of another package, and that other package. */
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

function dataIn(files, root) {
  return Object.entries(DATA).flatMap(([file, sources]) =>
    files.includes(resolve(root, file)) ? sources.map((source) => [source, file]) : [],
  );
}

function toolsOf(ids) {
  return ["rolldown", "vite"].filter((tool) => [...ids].some((id) => id.startsWith(`\0${tool}/`)));
}

/**
 * Returns the folder of a dependency. Searches as Node.js does: in the package's folder, then in the folders above.
 */
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

/**
 * Returns the license and notice files of a package, or the license section of its README if that contains the license
 * text; otherwise an empty text.
 */
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

/**
 * Returns a license text with normalized line endings. Removes from Vite's license those of its bundled dependencies,
 * which are not part of its output.
 */
function cleaned(text) {
  return text
    .replaceAll("\r\n", "\n")
    .split(/^# Licenses of bundled dependencies$/m)[0]
    .trim();
}

/**
 * Returns texts for packages that publish none: name → license and text. A file's first line is "NAME, NAME: LICENSE".
 */
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

/** Returns the license's name from its text, for packages that do not name it. */
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
