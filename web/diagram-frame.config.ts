import { defineConfig } from "vite";
import { oneFileBuild, type PageParts } from "./one-file.ts";

/**
 * Builds the document that renders diagrams. It runs in a sandbox and cannot load any file, so the library is inline.
 * Its CSP allows only that script and inline styles.
 */
export default defineConfig(oneFileBuild("diagram-frame", "assets/diagram-frame.html", createPage));

function createPage({ script, scriptSource }: PageParts): string {
  const policy = [
    "default-src 'none'",
    `script-src ${scriptSource}`,
    "style-src 'unsafe-inline'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>Diagrams</title>
</head>
<body>
<script type="module">${script}</script>
</body>
</html>
`;
}
