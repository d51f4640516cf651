import { createHash } from "node:crypto";
import { resolve } from "node:path";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

const shared = (name: string) => resolve(import.meta.dirname, "shared/markdown", name);

/**
 * The page that "Save as one HTML file" fills in: script and style within, nothing to load. Its policy names the
 * script by its hash, so that nothing in a plan can run.
 */
export default defineConfig({
  root: resolve(import.meta.dirname, "plan/file"),
  plugins: [react(), withoutDiagramLibrary(), oneFile("plan-file.html")],
  build: {
    outDir: resolve(import.meta.dirname, "../dist/web/assets"),
    emptyOutDir: false,
    target: "es2023",
    modulePreload: false,
    reportCompressedSize: false,
    cssCodeSplit: false,
    chunkSizeWarningLimit: 4000,
    rollupOptions: {
      input: resolve(import.meta.dirname, "plan/file/index.html"),
      output: { codeSplitting: false },
    },
  },
});

/** Diagrams are drawn when the page is saved. */
function withoutDiagramLibrary(): Plugin {
  return {
    name: "without-diagram-library",
    enforce: "pre",
    resolveId(id) {
      return id.endsWith("/draw-diagram.ts") ? shared("embedded-diagrams.ts") : undefined;
    },
  };
}

function oneFile(fileName: string): Plugin {
  return {
    name: "one-file",
    enforce: "post",
    generateBundle: {
      // After Vite's own, which fills in what it left open in the script.
      order: "post",
      handler(_options, bundle) {
        const files = Object.values(bundle);
        const script = files.find((file) => file.type === "chunk")?.code ?? "";
        const style = files.find((file) => file.fileName.endsWith(".css"));
        const css = style?.type === "asset" ? String(style.source) : "";
        for (const file of files) delete bundle[file.fileName];
        const source = pageOf(script.replaceAll("</script", "<\\/script"), css);
        this.emitFile({ type: "asset", fileName, source });
      },
    },
  };
}

function pageOf(script: string, css: string): string {
  const hash = createHash("sha256").update(script).digest("base64");
  const policy = [
    "default-src 'none'",
    `script-src 'sha256-${hash}'`,
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
