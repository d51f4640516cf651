import { defineConfig } from "vite";
import { oneFileBuild, type PageParts } from "./one-file.ts";

/**
 * The document that diagrams are drawn in. It stands in a sandbox, where it could load nothing even of ours: the library
 * comes within, and its policy allows that script, the styles it writes, and nothing from anywhere.
 */
export default defineConfig(oneFileBuild("diagram-frame", "assets/diagram-frame.html", pageOf));

function pageOf({ script, scriptSource }: PageParts): string {
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
