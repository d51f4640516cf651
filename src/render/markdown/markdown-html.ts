import type { Leaf, MarkdownDocument, MarkdownNode } from "./model.ts";

/**
 * Renders a parsed Markdown text as HTML like the first render of `MarkdownView`: code without colors, diagrams as
 * source, images as names. A server can insert it into a page before any script runs. All text is escaped, and tags
 * come only from the parser's list.
 */
export function markdownHtml(document: MarkdownDocument): string {
  return `<div class="${document.isPlain ? "markdown markdown-plain" : "markdown"}">${all(document.nodes, document)}</div>`;
}

function all(nodes: readonly MarkdownNode[], document: MarkdownDocument): string {
  return nodes.map((node) => html(node, document)).join("");
}

function html(node: MarkdownNode, document: MarkdownDocument): string {
  switch (node.kind) {
    case "text":
      return escaped(node.text);
    case "mark":
      return deceptive(node.text, node.meaning);
    case "task":
      return `<input type="checkbox" disabled${node.checked ? " checked" : ""}>`;
    case "image":
      return `<img alt="${escaped(node.alt || node.source)}">`;
    case "link":
      return link(node.href, all(node.children, document));
    case "code":
      return codeBlock(node.info, document.leaves[node.leaf]);
    case "unrendered":
      return `<div class="unrendered"><strong>${UNRENDERED}</strong>${code(document.leaves[node.leaf])}</div>`;
    case "element":
      return element(node, document);
    case "removed":
      // Only the page draws comparisons.
      return "";
  }
}

/** Title of lines that Markdown does not render. */
export const UNRENDERED = "Not shown by Markdown, but the agent reads it";

const EMPTY = new Set(["br", "hr"]);

function element(node: Extract<MarkdownNode, { kind: "element" }>, document: MarkdownDocument): string {
  const { align, ...rest } = node.attributes ?? {};
  const attributes = Object.entries({ ...rest, ...(align && { style: `text-align:${align}` }) })
    .map(([name, value]) => ` ${name}="${escaped(value)}"`)
    .join("");
  const open = `<${node.tag}${attributes}>`;
  return EMPTY.has(node.tag) ? open : `${open}${all(node.children, document)}</${node.tag}>`;
}

function link(href: string, text: string): string {
  if (href.startsWith("#")) return `<a href="${escaped(href)}">${text}</a>`;
  if (!/^(https?:|mailto:)/i.test(href)) return `<span class="path-link">${text}</span>`;
  return `<a href="${escaped(href)}" target="_blank" rel="noopener noreferrer">${text}</a>`;
}

function codeBlock(info: string, leaf: Leaf | undefined): string {
  const head = `<div class="code-head no-select"><span>${escaped(info || "text")}</span></div>`;
  return `<div class="code-block">${head}${code(leaf)}</div>`;
}

function code(leaf: Leaf | undefined): string {
  const { text = "", marks = [] } = leaf ?? {};
  let from = 0;
  let inner = "";
  for (const { start, end, meaning } of marks) {
    inner += escaped(text.slice(from, start)) + deceptive(text.slice(start, end), meaning);
    from = end;
  }
  return `<pre><code>${inner}${escaped(text.slice(from))}</code></pre>`;
}

function deceptive(text: string, meaning: string): string {
  return `<span class="deceptive" title="${escaped(meaning)}">${escaped(text)}</span>`;
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Escapes text for HTML element content and double-quoted attributes. */
export function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? "");
}
