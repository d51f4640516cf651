import type { Token } from "markdown-it";
import type { Leaf, MarkdownNode } from "../model.ts";
import { LeafBuilder } from "./leaf-builder.ts";

/** Maps an offset in an inline token's content to its offset in the source. */
export type ContentMap = (offset: number) => number;

interface InlineResult {
  readonly nodes: readonly MarkdownNode[];
  readonly finish: (index: number, block: number) => Leaf;
}

/**
 * Converts the children of an inline token into nodes and records the source of every drawn character. The first
 * `skipped` characters of the content, a task box or an alert's name, are not drawn as text.
 */
export function buildInline(
  children: readonly Token[],
  content: string,
  toSource: ContentMap,
  skipped = 0,
): InlineResult {
  const builder = new LeafBuilder();
  // The parser replaces line endings within a code span with spaces, so the search text needs spaces too.
  const searched = content.replaceAll("\n", " ");
  const stack: { nodes: MarkdownNode[]; open: Token | undefined }[] = [{ nodes: [], open: undefined }];
  let cursor = skipped;

  const find = (text: string) => {
    const at = searched.indexOf(text, cursor);
    const start = at === -1 ? cursor : at;
    cursor = Math.min(content.length, start + text.length);
    return start;
  };

  for (const token of withoutSkipped(children, content.slice(0, skipped))) {
    const top = stack.at(-1);
    if (!top) break;
    if (token.nesting === 1) {
      stack.push({ nodes: [], open: token });
    } else if (token.nesting === -1) {
      const closed = stack.pop();
      const parent = stack.at(-1);
      if (token.type === "link_close") cursor = skipLinkTarget(searched, cursor, token);
      if (closed && parent) parent.nodes.push(wrap(closed.open, closed.nodes));
    } else {
      // Pushed one by one: a text can have more pieces than a call can have arguments.
      for (const node of leafNodes(token, builder, find, toSource)) top.nodes.push(node);
    }
  }
  return {
    nodes: stack[0]?.nodes ?? [],
    finish: (index, block) => builder.finish(index, block, toSource(0), toSource(content.length)),
  };
}

/** Returns the tokens without the skipped characters. */
function withoutSkipped(children: readonly Token[], skipped: string): readonly Token[] {
  const [first, ...rest] = children;
  if (skipped === "" || !first || first.type !== "text" || !first.content.startsWith(skipped))
    return children;
  return [
    Object.assign(Object.create(first) as Token, { content: first.content.slice(skipped.length) }),
    ...rest,
  ];
}

function leafNodes(
  token: Token,
  builder: LeafBuilder,
  find: (text: string) => number,
  toSource: ContentMap,
): MarkdownNode[] {
  switch (token.type) {
    case "text": {
      if (token.content === "") return [];
      const start = find(token.content);
      return builder.addText(token.content, (offset) => toSource(start + offset));
    }
    case "text_special": {
      const start = toSource(find(token.markup));
      return [builder.addReplaced(token.content, start, token.markup.length)];
    }
    case "code_inline": {
      find(token.markup);
      const start = find(token.content);
      const children = builder.addCode(token.content, (offset) => toSource(start + offset));
      find(token.markup);
      return [{ kind: "element", tag: "code", children }];
    }
    case "softbreak":
      return [builder.addReplaced("\n", toSource(find(" ")), 1)];
    case "hardbreak":
      return [
        { kind: "element", tag: "br", children: [] },
        builder.addReplaced("\n", toSource(find(" ")), 1),
      ];
    case "html_break": {
      const start = toSource(find(token.markup));
      return [
        { kind: "element", tag: "br", children: [] },
        builder.addReplaced("\n", start, token.markup.length),
      ];
    }
    case "image":
      return [imageNode(token)];
    case "footnote_ref":
      return [footnoteReference(token, builder, toSource, find)];
    default:
      return [];
  }
}

function footnoteReference(
  token: Token,
  builder: LeafBuilder,
  toSource: ContentMap,
  find: (text: string) => number,
): MarkdownNode {
  const number = Number(token.meta?.id ?? 0) + 1;
  const written = `[^${String(token.meta?.label ?? "")}]`;
  const child = builder.addReplaced(`[${number}]`, toSource(find(written)), written.length);
  const link: MarkdownNode = { kind: "link", href: `#footnote-${number}`, title: "", children: [child] };
  return { kind: "element", tag: "sup", children: [link] };
}

function imageNode(token: Token): MarkdownNode {
  const alt = (token.children ?? []).map(({ content }) => content).join("");
  return { kind: "image", source: attribute(token, "src"), alt, title: attribute(token, "title") };
}

function wrap(open: Token | undefined, children: readonly MarkdownNode[]): MarkdownNode {
  if (open?.type === "link_open") {
    return { kind: "link", href: attribute(open, "href"), title: attribute(open, "title"), children };
  }
  return { kind: "element", tag: open?.tag || "span", children };
}

/** Returns a token's attribute as text, empty if it is missing. */
export function attribute(token: Token, name: string): string {
  const value = token.attrGet(name);
  return value === null || value === undefined ? "" : String(value);
}

/** Returns the offset after `](target)` or `][label]`, so that later text is not found within the address. */
function skipLinkTarget(content: string, cursor: number, token: Token): number {
  if (token.info === "auto") return cursor;
  const bracket = content.indexOf("]", cursor);
  if (bracket === -1) return cursor;
  const opener = content[bracket + 1];
  if (opener === "[") return Math.max(bracket + 1, content.indexOf("]", bracket + 2) + 1);
  if (opener !== "(") return bracket + 1;
  let depth = 0;
  for (let index = bracket + 1; index < content.length; index += 1) {
    const character = content[index] ?? "";
    if (character === "\\") index += 1;
    else if (character === "<" || character === '"' || character === "'") index = spanEnd(content, index);
    else if (character === "(") depth += 1;
    else if (character === ")") depth -= 1;
    if (depth === 0) return index + 1;
  }
  return bracket + 1;
}

/**
 * Returns the end of an address in angle brackets or a title that begins at `start`, or `start` if there is neither.
 */
function spanEnd(content: string, start: number): number {
  const opener = content[start];
  const before = content[start - 1] ?? "";
  const isSpan = /\s/.test(before) || (opener === "<" && before === "(");
  if (!isSpan) return start;
  const closer = opener === "<" ? ">" : opener;
  for (let index = start + 1; index < content.length; index += 1) {
    if (content[index] === "\\") index += 1;
    else if (content[index] === closer) return index;
  }
  return start;
}
