// The `require` between the parts of the command: in the package, in the single executable, and while their code cache
// is made.
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { Script } from "node:vm";

/**
 * Gives a function that loads a part by name ("main.cjs") and returns what it exports. `source` and `cachedData` give
 * a part's wrapped text and V8's compiled form of it; `builtin` requires Node's modules; `folder` is where the parts
 * believe to be; `compiled` is told of each script. V8 looks at a compiled form's version, flags and source by itself,
 * and compiles anew what does not fit.
 */
export function createLoader({ source, cachedData, builtin, folder, compiled = () => {} }) {
  const parts = new Map();
  const load = (name) => {
    const known = parts.get(name);
    if (known) return known.exports;
    const part = { exports: {} };
    parts.set(name, part);
    const filename = join(folder, name);
    const script = new Script(source(name), { filename, cachedData: cachedData(name) });
    compiled(name, script);
    const requirePart = (id) => {
      if (id.startsWith("./")) return load(id.slice(2));
      // Libraries try what may be installed beside them; Node would warn of that in the middle of a review.
      if (!isBuiltin(id)) throw Object.assign(new Error(`Cannot find ${id}`), { code: "MODULE_NOT_FOUND" });
      return builtin(id);
    };
    script.runInThisContext()(part.exports, requirePart, part, filename, folder);
    return part.exports;
  };
  return load;
}

/** A part's text as the loader takes it: all the names that CommonJS gives a module. */
export function wrapped(text) {
  return `(function (exports, require, module, __filename, __dirname) {${text}\n})`;
}

/** Where the compiled form for the Node.js that runs this is kept: no other can use it. */
export function cacheName() {
  return `node-${process.versions.node}-${process.platform}-${process.arch}`;
}
