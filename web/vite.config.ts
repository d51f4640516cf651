import { resolve } from "node:path";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const page = (name: string) => resolve(import.meta.dirname, name, "index.html");

/** Several pages, hashed assets under /assets, no inlined scripts: the page's CSP allows only files of its own. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  build: {
    outDir: resolve(import.meta.dirname, "../dist/web"),
    emptyOutDir: true,
    target: "es2023",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 4000,
    rollupOptions: { input: { plan: page("plan"), code: page("code") } },
  },
});
