// Implements `require` between the command's parts, in the package and in the executable.
import { isBuiltin } from "node:module";
import { sep } from "node:path";
import { Script } from "node:vm";

/**
 * Returns a function that loads a part by name ("main.cjs") and returns its exports. `source` and `cachedData` return
 * a part's wrapped text and V8's code cache for it; `builtin` requires Node's modules; `folder` is the `__dirname` of
 * the parts; `compiled` receives each script. V8 checks version, flags and source length of a code cache, and compiles
 * again if they differ.
 */
export function createLoader({ source, cachedData, builtin, folder, compiled = () => {} }) {
  const parts = new Map();
  const load = (name) => {
    const known = parts.get(name);
    if (known) return known.exports;
    const part = { exports: {} };
    parts.set(name, part);
    const filename = `${folder}${sep}${name}`;
    const script = new Script(source(name), { filename, cachedData: cachedData(name) });
    compiled(name, script);
    const requirePart = (id) => {
      if (id.startsWith("./")) return load(id.slice(2));
      // Libraries probe for optional packages. Node.js's `require` would print a warning for these during a review.
      if (!isBuiltin(id)) throw Object.assign(new Error(`Cannot find ${id}`), { code: "MODULE_NOT_FOUND" });
      return builtin(id);
    };
    script.runInThisContext()(part.exports, requirePart, part, filename, folder);
    return part.exports;
  };
  return load;
}

/** Wraps a part's text in a function with CommonJS' parameters. */
export function wrapped(text) {
  return `(function (exports, require, module, __filename, __dirname) {${text}\n})`;
}
