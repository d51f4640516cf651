// Renders Markdown as GitHub does: the same anchors of headings, and links between files.
import { posix } from "node:path";
import GitHubSlugger from "github-slugger";
import hljs from "highlight.js/lib/common";
import MarkdownIt from "markdown-it";
import { toUrl } from "./read-pages.mjs";

/**
 * Creates the renderer for the pages. Links to files that are not in the site become plain text; links to missing
 * Markdown files throw an error.
 */
export function createMarkdown(pages, files) {
  const urls = new Set([...pages.map(({ url }) => url), ...files]);
  const markdown = new MarkdownIt({
    html: true,
    highlight: (code, language) =>
      hljs.getLanguage(language) ? hljs.highlight(code, { language, ignoreIllegals: true }).value : "",
  });
  markdown.core.ruler.push("anchors", ({ tokens }) => {
    const slugger = new GitHubSlugger();
    for (const [index, token] of tokens.entries()) {
      if (token.type !== "heading_open") continue;
      const id = slugger.slug(toText(tokens[index + 1]));
      token.attrSet("id", id);
      if (token.tag !== "h1") token.meta = { id };
    }
  });
  markdown.renderer.rules.heading_close = (tokens, index) => {
    const { meta } = tokens[index - 2];
    const anchor = meta ? `<a class="anchor" href="#${meta.id}" aria-label="Link to this section">#</a>` : "";
    return `${anchor}</${tokens[index].tag}>\n`;
  };
  // A table that scrolls must be reachable by keyboard.
  markdown.renderer.rules.table_open = () =>
    '<div class="table" tabindex="0" role="group" aria-label="Table"><table>\n';
  markdown.renderer.rules.table_close = () => "</table></div>\n";
  markdown.renderer.rules.thead_open = (tokens, index) => {
    // In Markdown, a table without headings has empty heading cells.
    const end = tokens.findIndex(({ type }, at) => at > index && type === "thead_close");
    const isEmpty = tokens
      .slice(index, end)
      .every(({ type, content }) => type !== "inline" || content === "");
    return isEmpty ? "<thead hidden>\n" : "<thead>\n";
  };
  // An empty heading of a column is rendered as a cell.
  for (const part of ["th_open", "th_close"]) {
    markdown.renderer.rules[part] = (tokens, index, options, _env, self) => {
      const text = tokens[part === "th_open" ? index + 1 : index - 1];
      if (text.content === "") tokens[index].tag = "td";
      return self.renderToken(tokens, index, options);
    };
  }
  const { fence } = markdown.renderer.rules;
  markdown.renderer.rules.fence = (...parts) => fence(...parts).replace("<pre", '<pre tabindex="0"');
  markdown.renderer.rules.link_open = (tokens, index, options, env, self) => {
    const href = tokens[index].attrGet("href");
    const target = toTarget(href, env.sourcePath, env.pageUrl, urls);
    const close = tokens
      .slice(index)
      .find(({ type, level }) => type === "link_close" && level === tokens[index].level);
    if (target === undefined) {
      tokens[index].tag = "span";
      tokens[index].attrs = null;
      if (close) close.tag = "span";
      return "<span>";
    }
    tokens[index].attrSet("href", target);
    return self.renderToken(tokens, index, options);
  };
  const image = markdown.renderer.rules.image;
  markdown.renderer.rules.image = (tokens, index, options, env, self) => {
    const path = posix.join(posix.dirname(env.sourcePath), tokens[index].attrGet("src"));
    tokens[index].attrSet("src", relative(env.pageUrl, path));
    tokens[index].attrSet("loading", "lazy");
    return image(tokens, index, options, env, self);
  };
  return markdown;
}

/**
 * Returns the link to use in the site for a link of a page; undefined for a link to a file that is not in the site.
 * Throws if that file is Markdown.
 */
function toTarget(href, sourcePath, pageUrl, urls) {
  if (/^([a-z]+:|#)/.test(href)) return href;
  const [file, fragment] = href.split("#");
  const url = toUrl(posix.join(posix.dirname(sourcePath), file));
  if (!urls.has(url)) {
    if (file.endsWith(".md")) throw new Error(`${sourcePath} links to ${href}, which does not exist`);
    return undefined;
  }
  return relative(pageUrl, url) + (fragment === undefined ? "" : `#${fragment}`);
}

function relative(from, to) {
  return posix.relative(posix.dirname(from), to);
}

function toText(inline) {
  return (inline?.children ?? []).map(({ type, content }) => (type === "image" ? "" : content)).join("");
}
