import { resolve } from "node:path";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";
import { oneFileBuild, sharedPage } from "./one-file.ts";

const build = oneFileBuild("plan/file", "assets/plan-file.html", sharedPage("Plan", "<!--shared-review-->"));

/**
 * Builds the template of "Save as one HTML file" for plans, which loads no files. Its CSP allows only this script, by
 * hash.
 */
export default defineConfig({ ...build, plugins: [react(), withoutDiagramLibrary(), ...build.plugins] });

/** Replaces the diagram library: diagrams are rendered when the page is saved. */
function withoutDiagramLibrary(): Plugin {
  const drawn = resolve(import.meta.dirname, "shared/markdown/diagrams/embedded-diagrams.ts");
  return {
    name: "without-diagram-library",
    enforce: "pre",
    resolveId: (id) => (id.endsWith("/draw-diagram.ts") ? drawn : undefined),
  };
}
