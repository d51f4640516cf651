import type { Token } from "markdown-it";
import type { Heading, MarkdownDocument, MarkdownNode } from "../model.ts";
import { BlockList } from "./block-list.ts";
import { containerNodes } from "./container-nodes.ts";
import { attribute, buildInline, type ContentMap } from "./inline.ts";
import { locateCell, locateLines } from "./locate-content.ts";
import { parser } from "./parser.ts";
import { findUnrenderedLines, sourceLines, takeFrontMatter } from "./source-lines.ts";

const ALERT = /^\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\][ \t]*(?:\n|$)/i;

/**
 * Parses Markdown into a tree of nodes that map back to the source. Never throws; any text is valid Markdown. A text
 * of more than a million characters is not parsed: its lines are returned unchanged, and the document is marked as
 * plain.
 */
export function parseMarkdown(source: string): MarkdownDocument {
  return source.length > MAX_MARKDOWN_LENGTH ? plainDocument(source) : new DocumentBuilder(source).build();
}

interface Open {
  readonly token: Token | undefined;
  readonly nodes: MarkdownNode[];
  /** The type of the alert, if the quote is one. */
  alert?: string;
}

class DocumentBuilder {
  private readonly lines;
  private readonly blocks;
  private readonly headings: Heading[] = [];
  private readonly slug = slugger();
  private readonly source: string;
  private stack: Open[] = [{ token: undefined, nodes: [] }];
  private row:
    | { readonly text: string; readonly start: number; cell: number; readonly block: number }
    | undefined;

  constructor(source: string) {
    this.source = source;
    this.lines = sourceLines(source);
    this.blocks = new BlockList(this.lines);
  }

  build(): MarkdownDocument {
    const { frontMatterLines, body } = takeFrontMatter(this.source, this.lines);
    if (frontMatterLines > 0) this.code("yaml", "front matter", 1, frontMatterLines - 1);
    const tokens = parser.parse(body, {});
    const undrawn = findUnrenderedLines(tokens, body, this.lines.count);
    for (const [index, token] of tokens.entries()) {
      const isOutermost = this.stack.length === 1 && token.nesting >= 0;
      const line = token.type === "footnote_block_open" ? Number.POSITIVE_INFINITY : token.map?.[0];
      while (isOutermost && line !== undefined && (undrawn[0]?.[0] ?? Number.POSITIVE_INFINITY) < line) {
        this.unrendered(undrawn.shift() ?? [0, 0]);
      }
      this.take(token, tokens, index);
    }
    for (const range of undrawn) this.unrendered(range);
    const { leaves, blocks } = this.blocks;
    return {
      source: this.source,
      nodes: this.stack[0]?.nodes ?? [],
      leaves,
      blocks,
      headings: this.headings,
    };
  }

  private take(token: Token, tokens: readonly Token[], index: number): void {
    if (token.type === "inline") this.inline(token, tokens, index);
    else if (token.type === "fence" || token.type === "code_block") this.fence(token);
    else if (token.type === "hr") this.add({ kind: "element", tag: "hr", children: [] });
    else if (token.nesting === 1) this.open(token);
    else if (token.nesting === -1) this.close();
  }

  private fence(token: Token): void {
    const info = token.info.trim();
    const text = token.content.replace(/\n$/, "");
    const first = (token.map?.[0] ?? 0) + (token.type === "fence" ? 1 : 0);
    const count = text === "" ? 0 : text.split("\n").length;
    this.code(info.split(/\s+/)[0] ?? "", info, first, first + count, text);
  }

  private open(token: Token): void {
    if (token.type === "tr_open") {
      const line = token.map?.[0] ?? 0;
      const block = this.blocks.open("table row", line, line + 1);
      this.row = { text: this.lines.text(line), start: this.lines.start(line), cell: 0, block };
    }
    this.stack.push({ token, nodes: [] });
  }

  private close(): void {
    const open = this.stack.pop();
    if (!open?.token) return;
    for (const node of containerNodes(open.token, open.nodes, open.alert, this.row?.block)) this.add(node);
    if (open.token.type === "tr_open") this.row = undefined;
  }

  private inline(token: Token, tokens: readonly Token[], index: number): void {
    const opener = tokens[index - 1];
    const alert = tokens[index - 2]?.type === "blockquote_open" ? ALERT.exec(token.content) : null;
    const quoteAround = this.stack.at(-2);
    if (alert && quoteAround) quoteAround.alert = (alert[1] ?? "").toLowerCase();
    const skipped = alert ? alert[0].length : 0;
    if (alert && skipped >= token.content.length) return;
    const task = tokens[index - 2]?.type === "list_item_open" ? taskState(token.content) : undefined;
    const children = token.children ?? [];
    const shown = alert
      ? children.slice(children.findIndex(({ type }) => type === "softbreak") + 1)
      : children;
    const toSource = this.locate(token, opener);
    const inline = buildInline(shown, token.content, toSource, skipped + (task ? 4 : 0));
    this.leaf(token, opener, inline, task);
  }

  private leaf(
    token: Token,
    opener: Token | undefined,
    inline: ReturnType<typeof buildInline>,
    task: { readonly checked: boolean } | undefined,
  ): void {
    const [from, to] = token.map ?? [0, 1];
    const name = blockName(opener, this.stack.at(-2)?.token);
    const block = this.row?.block ?? this.blocks.open(name, from, to);
    const leaf = this.blocks.addLeaf((index) => inline.finish(index, block));
    const text = this.blocks.leaves[leaf]?.text ?? "";
    const attributes = this.attributes(opener, text, block);
    const node: MarkdownNode = {
      kind: "element",
      tag: leafTag(opener),
      attributes,
      children: inline.nodes,
      leaf,
      ...(!this.row && { block }),
    };
    if (task) this.add({ kind: "task", checked: task.checked });
    this.add(node);
  }

  private attributes(
    opener: Token | undefined,
    text: string,
    block: number,
  ): Record<string, string> | undefined {
    if (opener?.type === "heading_open") {
      const id = this.slug(text);
      this.headings.push({ id, level: Number(opener.tag.slice(1)), text, block });
      return { id };
    }
    const align = opener ? /text-align:(\w+)/.exec(attribute(opener, "style"))?.[1] : undefined;
    return align ? { align } : undefined;
  }

  private locate(token: Token, opener: Token | undefined): ContentMap {
    const row = this.row;
    if (!row || !opener || !/^t[hd]_open$/.test(opener.type)) {
      return locateLines(token.content, token.map?.[0] ?? 0, this.lines);
    }
    const cell = locateCell(token.content, row.text, row.cell);
    row.cell = cell.end;
    return (at) => row.start + cell.map(at);
  }

  /** Adds a code block whose text is the lines from `first` to before `end`. */
  private code(language: string, info: string, first: number, end: number, text?: string): void {
    const leaf = this.blocks.addLines(language === "mermaid" ? "diagram" : "code block", first, end, text);
    this.add({ kind: "code", ...leaf, language, info });
  }

  private unrendered([first, end]: readonly [number, number]): void {
    this.add({ kind: "unrendered", ...this.blocks.addLines("hidden text", first, end) });
  }

  private add(node: MarkdownNode): void {
    this.stack.at(-1)?.nodes.push(node);
  }
}

function blockName(opener: Token | undefined, parent: Token | undefined): string {
  if (opener?.type === "heading_open") return "heading";
  return parent?.type === "list_item_open" ? "list item" : "paragraph";
}

/** Returns the tag of a leaf. The parser hides paragraphs of a tight list, but each is a separate run of text. */
function leafTag(opener: Token | undefined): string {
  if (!opener || (opener.type === "paragraph_open" && opener.hidden)) return "div";
  return opener.tag;
}

/** Returns a function that generates unique heading ids, similar to those of GitHub. */
function slugger(): (text: string) => string {
  const used = new Set<string>();
  /** The last number used per base, so that many headings with the same text do not cost quadratic time. */
  const numbers = new Map<string, number>();
  return (text) => {
    const base =
      text
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, "")
        .trim()
        .replace(/\s+/g, "-") || "section";
    let id = base;
    let number = numbers.get(base) ?? 0;
    while (used.has(id)) {
      number += 1;
      id = `${base}-${number}`;
    }
    numbers.set(base, number);
    used.add(id);
    return id;
  };
}

/**
 * Returns the state of the GitHub task box at the start of a list item, or undefined. The box must be followed by
 * text on its line.
 */
function taskState(content: string): { readonly checked: boolean } | undefined {
  const box = /^\[([ xX])\] (?=[^\S\n]*\S)/.exec(content)?.[1];
  return box === undefined ? undefined : { checked: box !== " " };
}

/** Longer texts, in UTF-16 units, are shown as plain text, because a browser takes too long to lay them out. */
const MAX_MARKDOWN_LENGTH = 1_000_000;
/** Lines of a block of plain text: few enough that a browser lays out only the blocks on the screen. */
const BLOCK_LINES = 200;

/** Returns the lines of a text unchanged, in blocks that map back to the source. */
function plainDocument(source: string): MarkdownDocument {
  const lines = sourceLines(source);
  const list = new BlockList(lines);
  const nodes: MarkdownNode[] = [];
  for (let first = 0; first < lines.count; first += BLOCK_LINES) {
    const leaf = list.addLines("plain text", first, Math.min(lines.count, first + BLOCK_LINES));
    nodes.push({ kind: "code", ...leaf, language: "", info: "" });
  }
  return { source, nodes, leaves: list.leaves, blocks: list.blocks, headings: [], isPlain: true };
}
