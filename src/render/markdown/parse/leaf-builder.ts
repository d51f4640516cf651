import { type CommentSearch, findDeceptions } from "../deceptive.ts";
import type { Leaf, LeafMark, MarkdownNode, Segment } from "../model.ts";

/**
 * Collects the drawn text of one leaf and the source of each run. Deceptive characters are drawn as their names and
 * marked.
 */
export class LeafBuilder {
  private text = "";
  private readonly segments: Segment[] = [];
  private readonly marks: LeafMark[] = [];
  /** Whether the text so far ends inside an HTML comment. */
  private inComment = false;

  /** Draws `text`; `sourceAt` returns the source offset of each character. */
  addText(text: string, sourceAt: (offset: number) => number): MarkdownNode[] {
    const comments = this.inComment ? "inside" : "outside";
    const [opened, closed] = [text.lastIndexOf("<!--"), text.lastIndexOf("-->")];
    if (opened !== closed) this.inComment = opened > closed;
    return this.draw(text, sourceAt, comments);
  }

  /** Draws code, in which HTML comments are visible and need no search. */
  addCode(text: string, sourceAt: (offset: number) => number): MarkdownNode[] {
    return this.draw(text, sourceAt, "none");
  }

  /** Draws `text` for `sourceLength` characters of the source that differ from it, such as an entity. */
  addReplaced(text: string, source: number, sourceLength: number): MarkdownNode {
    this.push(text, source, sourceLength);
    return { kind: "text", text };
  }

  finish(index: number, block: number, start: number, end: number): Leaf {
    return { index, block, text: this.text, segments: this.segments, marks: this.marks, start, end };
  }

  private draw(text: string, sourceAt: (offset: number) => number, comments: CommentSearch): MarkdownNode[] {
    const nodes: MarkdownNode[] = [];
    let from = 0;
    for (const { start, end, shown, meaning } of findDeceptions(text, comments)) {
      if (start < from) continue;
      this.plain(nodes, text.slice(from, start), sourceAt(from), sourceAt(start));
      this.marks.push({ start: this.text.length, end: this.text.length + shown.length, meaning });
      this.push(shown, sourceAt(start), end - start);
      nodes.push({ kind: "mark", text: shown, meaning });
      from = end;
    }
    this.plain(nodes, text.slice(from), sourceAt(from), sourceAt(text.length));
    return nodes;
  }

  private plain(nodes: MarkdownNode[], text: string, source: number, sourceEnd: number): void {
    if (text === "") return;
    this.push(text, source, sourceEnd - source);
    nodes.push({ kind: "text", text });
  }

  private push(text: string, source: number, sourceLength: number): void {
    const rendered = this.text.length;
    this.segments.push({ rendered, renderedLength: text.length, source, sourceLength });
    this.text += text;
  }
}
