import { resolve } from "node:path";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

const page = (name: string) => resolve(import.meta.dirname, name, "index.html");

/** Preloads the highlighter of the code page in parallel with its scripts. */
const preloadHighlighter: Plugin = {
  name: "preload-highlighter",
  transformIndexHtml: {
    order: "post",
    handler(_html, { path, bundle }) {
      const file = Object.keys(bundle ?? {}).find((name) => name.endsWith(".wasm"));
      if (!file || !path.startsWith("/code/")) return [];
      const attrs = { rel: "preload", href: `/${file}`, as: "fetch", crossorigin: "anonymous" };
      return [{ tag: "link", attrs, injectTo: "head" }];
    },
  },
};

/**
 * Builds the review pages with hashed assets under /assets. Inlines no scripts, because the CSP allows only files of
 * the server.
 */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), preloadHighlighter, preloadLaterChunks()],
  build: {
    outDir: resolve(import.meta.dirname, "../dist/web"),
    emptyOutDir: true,
    target: "es2023",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 4000,
    rollupOptions: { input: { plan: page("plan"), code: page("code"), inbox: page("inbox") } },
  },
});

/** Preloads the chunks that a page imports after its first paint. */
function preloadLaterChunks(): Plugin {
  return {
    name: "preload-later-chunks",
    transformIndexHtml: {
      order: "post",
      handler(html, { chunk, bundle = {} }) {
        const wanted = new Set<string>();
        const want = (file: string) => {
          const found = bundle[file];
          if (found?.type !== "chunk" || wanted.has(file) || html.includes(file)) return;
          wanted.add(file);
          found.imports.forEach(want);
        };
        const [start] = chunk?.dynamicImports ?? [];
        if (start !== undefined) want(start);
        return [...wanted].map((file) => ({
          tag: "link",
          attrs: { rel: "modulepreload", crossorigin: true, href: `/${file}` },
          injectTo: "head",
        }));
      },
    },
  };
}
