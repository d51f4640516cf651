import type { Token } from "markdown-it";
import { type MarkdownNode, TABLE_SCROLL } from "../model.ts";
import { attribute } from "./inline.ts";

/**
 * Returns the nodes of a block that contains `nodes`, such as a list, quote, table row or footnote. `token` is the
 * block's opening token. `alert` is the type of the alert (`note`, `tip` …) if a quote is an alert, and `row` is the
 * index of a table row's block.
 */
export function containerNodes(
  token: Token,
  nodes: readonly MarkdownNode[],
  alert: string | undefined,
  row: number | undefined,
): readonly MarkdownNode[] {
  switch (token.type) {
    // The inline content of these elements is a leaf, which has the tag.
    case "paragraph_open":
    case "heading_open":
    case "th_open":
    case "td_open":
    case "summary_open":
      return nodes;
    case "tr_open":
      return [{ kind: "element", tag: "tr", children: nodes, ...(row !== undefined && { block: row }) }];
    case "blockquote_open":
      return [quote(nodes, alert)];
    case "table_open":
      return [scrollable({ kind: "element", tag: "table", children: nodes })];
    default:
      return [container(token, nodes)];
  }
}

function quote(children: readonly MarkdownNode[], alert: string | undefined): MarkdownNode {
  if (alert === undefined) return { kind: "element", tag: "blockquote", children };
  const name: MarkdownNode = { kind: "text", text: `${alert.charAt(0).toUpperCase()}${alert.slice(1)}` };
  const title: MarkdownNode = {
    kind: "element",
    tag: "div",
    attributes: { class: "alert-title" },
    children: [name],
  };
  const attributes = { class: `alert alert-${alert}` };
  return { kind: "element", tag: "div", attributes, children: [title, ...children] };
}

function scrollable(table: MarkdownNode): MarkdownNode {
  return { kind: "element", tag: "div", attributes: { class: TABLE_SCROLL }, children: [table] };
}

function container(token: Token, children: readonly MarkdownNode[]): MarkdownNode {
  if (token.type === "footnote_block_open") {
    const list: MarkdownNode = { kind: "element", tag: "ol", children };
    return { kind: "element", tag: "section", attributes: { class: "footnotes" }, children: [list] };
  }
  if (token.type === "details_open") {
    // The element is initially open, so that the reviewer sees all the text that the agent reads.
    return { kind: "element", tag: "details", attributes: { open: "open" }, children };
  }
  if (token.type === "footnote_open") {
    const id = `footnote-${Number(token.meta?.id ?? 0) + 1}`;
    return { kind: "element", tag: "li", attributes: { id }, children };
  }
  const isTask = token.type === "list_item_open" && children[0]?.kind === "task";
  const attributes = isTask ? { class: "task" } : listAttributes(token);
  return { kind: "element", tag: token.tag || "div", attributes, children };
}

/** Returns a list's attributes. `dir` aligns the list according to its script. */
function listAttributes(token: Token): Record<string, string> | undefined {
  if (token.type === "bullet_list_open") return { dir: "auto" };
  if (token.type !== "ordered_list_open") return undefined;
  const start = attribute(token, "start");
  return { dir: "auto", ...(start && { start }) };
}
