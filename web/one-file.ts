import { createHash } from "node:crypto";
import { resolve } from "node:path";
import type { Plugin, UserConfig } from "vite";

/** The contents of a single-file page. */
export interface PageParts {
  readonly script: string;
  readonly css: string;
  /** The script's hash as a CSP source: `script-src ${scriptSource}` allows no other script. */
  readonly scriptSource: string;
}

/** Returns the build of a page with inline script and style, from the `index.html` in `folder` to `fileName`. */
export function oneFileBuild(
  folder: string,
  fileName: string,
  createPage: (parts: PageParts) => string,
): UserConfig & { readonly plugins: Plugin[] } {
  const root = resolve(import.meta.dirname, folder);
  return {
    root,
    plugins: [oneFile(fileName, createPage)],
    build: {
      outDir: resolve(import.meta.dirname, "../dist/web"),
      emptyOutDir: false,
      target: "es2023",
      modulePreload: false,
      reportCompressedSize: false,
      cssCodeSplit: false,
      chunkSizeWarningLimit: 4000,
      rollupOptions: { input: resolve(root, "index.html"), output: { codeSplitting: false } },
    },
  };
}

function oneFile(fileName: string, createPage: (parts: PageParts) => string): Plugin {
  return {
    name: "one-file",
    enforce: "post",
    generateBundle: {
      // Runs after Vite's own plugins, which fill in placeholders in the script.
      order: "post",
      handler(_options, bundle) {
        const files = Object.values(bundle);
        const code = files.find((file) => file.type === "chunk")?.code ?? "";
        const style = files.find((file) => file.fileName.endsWith(".css"));
        for (const file of files) delete bundle[file.fileName];
        const script = code.replaceAll("</script", "<\\/script");
        const scriptSource = `'sha256-${createHash("sha256").update(script).digest("base64")}'`;
        const css = style?.type === "asset" ? String(style.source) : "";
        this.emitFile({ type: "asset", fileName, source: createPage({ script, css, scriptSource }) });
      },
    },
  };
}

/**
 * Returns the function that creates the page of a shared review. `placeholder` is replaced with the data when a page is
 * saved.
 */
export function sharedPage(title: string, placeholder: string): (parts: PageParts) => string {
  return ({ script, css, scriptSource }) => {
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
<title>${title}</title>
<style>${css}</style>
</head>
<body>
<div id="root"></div>
${placeholder}
<script type="module">${script}</script>
</body>
</html>
`;
  };
}
