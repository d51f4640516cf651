import { resolve } from "node:path";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";
import { oneFileBuild, sharedPage } from "./one-file.ts";

const build = oneFileBuild(
  "code/file",
  "assets/code-file.html",
  sharedPage("Code review", "<!--shared-code-review-->"),
);

/**
 * Builds the template of "Save as one HTML file" for code reviews, which loads no files. Its CSP allows only this
 * script, by hash.
 */
export default defineConfig({ ...build, plugins: [react(), withoutLoading(), ...build.plugins] });

/** Replaces the modules that load WebAssembly and start a worker. */
function withoutLoading(): Plugin {
  const embedded = resolve(import.meta.dirname, "code/highlight/embedded-highlight.ts");
  return {
    name: "without-loading",
    enforce: "pre",
    resolveId: (id, importer) =>
      /\/(highlight|highlight-elsewhere)\.ts$/.test(id) && importer?.endsWith("/highlight-lines.ts")
        ? embedded
        : undefined,
  };
}
