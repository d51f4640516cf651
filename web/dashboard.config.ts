import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { oneFileBuild, type PageParts } from "./one-file.ts";

const { plugins, ...build } = oneFileBuild("dashboard", "dashboard/index.html", createPage);

/**
 * Builds the proxy's dashboard as one file: requests for its assets might need an API key, which a browser cannot
 * send. The server allows script and style by hash in the CSP.
 */
export default defineConfig({ ...build, plugins: [react(), ...plugins] });

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24' fill='none' stroke='%230d6a5f' stroke-width='2.2' stroke-linecap='round'%3E%3Cpath d='M4 22V9.5a8 8 0 0 1 16 0V22M2 22h20'/%3E%3Cpath d='M8 22V10a4 4 0 0 1 6.2-3.3L14 22Z' fill='%230d6a5f' stroke='none'/%3E%3C/svg%3E";

function createPage({ script, css }: PageParts): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${ICON}">
<title>Sallyport proxy</title>
<style>${css}</style>
</head>
<body>
<div id="dashboard"><!--dashboard--></div>
<p class="visually-hidden" role="status" id="status"></p>
<script type="module">${script}</script>
</body>
</html>
`;
}
