import { resolve } from "node:path";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";
import { oneFileBuild, type PageParts } from "./one-file.ts";

const build = oneFileBuild("plan/file", "assets/plan-file.html", createPage);

/**
 * Builds the template of "Save as one HTML file", with script and style inline and nothing to load. Its CSP allows
 * the script by hash, so that nothing in a plan can run.
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

function createPage({ script, css, scriptSource }: PageParts): string {
  const policy = [
    "default-src 'none'",
    `script-src ${scriptSource}`,
    "style-src 'unsafe-inline'",
    "img-src data: blob:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Plan</title>
<style>${css}</style>
</head>
<body>
<div id="root"></div>
<!--shared-review-->
<script type="module">${script}</script>
</body>
</html>
`;
}
