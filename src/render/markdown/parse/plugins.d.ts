declare module "markdown-it-footnote" {
  import type { PluginSimple } from "markdown-it";

  const plugin: PluginSimple;
  // biome-ignore lint/style/noDefaultExport: the package's own shape
  export default plugin;
}
