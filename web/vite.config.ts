import { resolve } from "node:path";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

const page = (name: string) => resolve(import.meta.dirname, name, "index.html");

/**
 * Puts the modules that the first screen of the code page shares with its later parts into one file: one file for each
 * combination of parts would be 2 kB larger in total (gzip). Leaves out the state of pull requests and notebooks,
 * which is loaded on demand.
 */
const codeBase = {
  name: "code-base",
  test: (id: string) =>
    /[\\/]web[\\/]code[\\/](?:core|state|comments[\\/](?:move|start|show-editor))/.test(id) &&
    !/[\\/](?:pull\.ts|load-notebook\.ts|notebook[\\/].*)$/.test(id),
  minShareCount: 2,
};

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
 * Leaves out the parts of the highlighter that color tokens by themes: the pages color tokens by class, and these
 * parts would add 8 kB (gzip) to the first load of the code page.
 */
function withoutThemes(): Plugin {
  const NAMES = {
    "./theme.js": ["escapeAttribute", "prepareTheme"],
    "./tokens.js": [
      "lineRecordsToTokens",
      "multiThemeBlob",
      "multiThemeHtmlOpeners",
      "resolveOptionThemes",
      "themeMeta",
    ],
    "./ansi.js": ["AnsiState", "ansiTokens", "isAnsi"],
  };
  const isLeftOut = (id: string): id is keyof typeof NAMES => Object.hasOwn(NAMES, id);
  return {
    name: "without-themes",
    enforce: "pre",
    resolveId: (id, importer) =>
      isLeftOut(id) && importer?.includes("/@pierre/highlights/") ? `\0without-themes:${id}` : undefined,
    load(id) {
      const file = id.replace("\0without-themes:", "");
      if (file === id || !isLeftOut(file)) return undefined;
      return NAMES[file].map((name) => `export const ${name} = undefined;`).join("\n");
    },
  };
}

/**
 * Builds the review pages with hashed assets under /assets. Inlines no assets, because the CSP does not allow requests
 * for `data:` URLs.
 */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), withoutThemes(), preloadHighlighter, preloadLaterChunks()],
  worker: { format: "es", plugins: () => [withoutThemes()] },
  build: {
    outDir: resolve(import.meta.dirname, "../dist/web"),
    emptyOutDir: true,
    target: "es2023",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 4000,
    rollupOptions: {
      input: { plan: page("plan"), code: page("code"), inbox: page("inbox") },
      output: { codeSplitting: { groups: [codeBase], includeDependenciesRecursively: false } },
    },
  },
});

/** Preloads the chunk that a page's entry imports after the first paint, and the chunks that this chunk imports. */
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
