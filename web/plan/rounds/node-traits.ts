import type { MarkdownDocument, MarkdownNode } from "../../../src/render/markdown/model.ts";

/** A node with the values by which it is compared. */
export interface Traits {
  readonly node: MarkdownNode;
  /** Nodes with the same key render the same. */
  readonly key: string;
  /** Only nodes with the same shape can replace each other. */
  readonly shape: string;
  readonly vocabulary: ReadonlySet<string>;
}

export function getTraits(nodes: readonly MarkdownNode[], document: MarkdownDocument): Traits[] {
  return nodes.map((node) => {
    const text = getText(node, document);
    return {
      node,
      key: toKey(node, document),
      shape: getShape(node),
      vocabulary: new Set(text.toLowerCase().match(WORD_PATTERN) ?? []),
    };
  });
}

/** In Han, kana and Thai text, which has no spaces between words, each character counts as a word. */
const WORD_PATTERN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}]+/gu;

/** Returns the number of common words divided by the smaller number of words, from 0 to 1. */
export function similarity({ vocabulary: a }: Traits, { vocabulary: b }: Traits): number {
  let shared = 0;
  for (const word of a) if (b.has(word)) shared += 1;
  return shared / Math.max(1, Math.min(a.size, b.size));
}

/** Returns the rendered text of a node. */
export function getText(node: MarkdownNode, document: MarkdownDocument): string {
  switch (node.kind) {
    case "text":
    case "mark":
      return node.text;
    case "code":
    case "unrendered":
      return document.leaves[node.leaf]?.text ?? "";
    case "element":
    case "link":
    case "removed":
      return node.children.map((child) => getText(child, document)).join(isContainer(node) ? "\n" : "");
    default:
      return "";
  }
}

/** Returns the targets of a node's links and images, which can change while the node's text stays the same. */
export function getTargets(node: MarkdownNode): string[] {
  if (node.kind === "image") return [`image ${node.source}`];
  if (node.kind === "link") return [`link ${node.href}`, ...node.children.flatMap(getTargets)];
  return "children" in node ? node.children.flatMap(getTargets) : [];
}

/** Returns whether a node contains blocks and is compared block by block. */
export function isContainer(node: MarkdownNode): node is Extract<MarkdownNode, { kind: "element" }> {
  return node.kind === "element" && node.leaf === undefined && CONTAINERS.has(node.tag);
}

const CONTAINERS = new Set([
  "ul",
  "ol",
  "li",
  "blockquote",
  "div",
  "section",
  "details",
  "table",
  "thead",
  "tbody",
  "tr",
]);

function toKey(node: MarkdownNode, document: MarkdownDocument): string {
  switch (node.kind) {
    case "text":
    case "mark":
      return node.text;
    case "task":
      return node.checked ? "[x]" : "[ ]";
    case "image":
      return `<image ${node.source} ${node.alt} ${node.title}>`;
    case "link":
      return `<link ${node.href} ${node.title}>${toKeys(node.children, document)}</link>`;
    case "code":
      return `<code ${node.info}>${document.leaves[node.leaf]?.text ?? ""}</code>`;
    case "unrendered":
      return `<unrendered>${document.leaves[node.leaf]?.text ?? ""}</unrendered>`;
    case "element": {
      // Ids depend on all headings, so they are not part of this node's key.
      const { id: _id, ...attributes } = node.attributes ?? {};
      const tag = getTag(node);
      return `<${tag} ${JSON.stringify(attributes)}>${toKeys(node.children, document)}</${tag}>`;
    }
    case "removed":
      return "";
  }
}

function toKeys(nodes: readonly MarkdownNode[], document: MarkdownDocument): string {
  return nodes.map((node) => toKey(node, document)).join("");
}

/**
 * Returns the tag for comparison. A `div` of text is treated as a `p`, because a blank line between list items turns
 * one into the other.
 */
function getTag({ tag, leaf }: Extract<MarkdownNode, { kind: "element" }>): string {
  return leaf !== undefined && tag === "div" ? "p" : tag;
}

function getShape(node: MarkdownNode): string {
  if (node.kind !== "element") return node.kind;
  return `${getTag(node)} ${node.attributes?.["class"] ?? ""} ${tableShape(node)}`;
}

/** Describes a table or a part of it: the number of columns and whether it has rows below its head. */
function tableShape(node: MarkdownNode): string {
  if (node.kind !== "element" || !TABLE_PARTS.has(node.tag)) return "";
  if (node.tag === "tr") return String(node.children.length);
  const [first] = node.children;
  const groups = node.tag === "table" ? `${node.children.length} ` : "";
  return first ? groups + tableShape(first) : "";
}

const TABLE_PARTS = new Set(["div", "table", "thead", "tbody", "tr"]);
