/** A parsed Markdown text: a tree to draw, and leaves that map drawn characters to their positions in the source. */
export interface MarkdownDocument {
  readonly source: string;
  readonly nodes: readonly MarkdownNode[];
  /** Runs of drawn text, in drawing order. */
  readonly leaves: readonly Leaf[];
  /** Elements that can be annotated as a whole, such as a paragraph, list item, table row or code block. */
  readonly blocks: readonly Block[];
  readonly headings: readonly Heading[];
  /** Set if the text is too long to be parsed as Markdown: its nodes are blocks of unchanged lines. */
  readonly isPlain?: true;
}

export type MarkdownNode =
  | { readonly kind: "text"; readonly text: string }
  | {
      readonly kind: "element";
      readonly tag: string;
      readonly attributes?: Readonly<Record<string, string>>;
      readonly children: readonly MarkdownNode[];
      /** Set if the element is itself a block, such as a table row. */
      readonly block?: number;
      /** Set if the element's text is a leaf: its DOM text equals that leaf's text. */
      readonly leaf?: number;
      readonly change?: Change;
    }
  | {
      readonly kind: "link";
      readonly href: string;
      readonly title: string;
      readonly children: readonly MarkdownNode[];
    }
  | { readonly kind: "image"; readonly source: string; readonly alt: string; readonly title: string }
  | { readonly kind: "task"; readonly checked: boolean }
  | { readonly kind: "mark"; readonly text: string; readonly meaning: string }
  | {
      readonly kind: "code";
      readonly leaf: number;
      readonly block: number;
      readonly language: string;
      readonly info: string;
      readonly change?: Change;
      /** In a comparison: the differences from the block's earlier text. */
      readonly edits?: LeafEdits;
    }
  /** Source that Markdown does not render, such as a link definition. It is shown because an agent reads it. */
  | {
      readonly kind: "unrendered";
      readonly leaf: number;
      readonly block: number;
      readonly change?: Change;
      readonly edits?: LeafEdits;
    }
  /** In a comparison: content that only the earlier version has. */
  | {
      readonly kind: "removed";
      readonly tag: "del" | "div" | "li" | "tr";
      /** Unique within the comparison. */
      readonly id: number;
      /** The offset in the later version's source where the content was removed. */
      readonly at: number;
      readonly children: readonly MarkdownNode[];
      /** The version that the children belong to; absent if they are only text. */
      readonly document?: MarkdownDocument;
    };

/** The change of a block since the earlier version in a comparison. */
export type Change = "added" | "changed";

/** The differences between the drawn text of a leaf and an earlier version of it. */
export interface LeafEdits {
  readonly added: readonly TextStretch[];
  readonly removed: readonly RemovedText[];
}

/** A range of drawn characters of a leaf. */
export interface TextStretch {
  readonly start: number;
  readonly end: number;
}

/** Removed text that preceded the drawn character at `offset`. */
export interface RemovedText {
  /** Unique within the comparison. */
  readonly id: number;
  readonly offset: number;
  readonly text: string;
  /** The offset in the later version's source where the text was removed. */
  readonly at: number;
}

export interface Leaf {
  readonly index: number;
  readonly block: number;
  /** The drawn text. */
  readonly text: string;
  readonly segments: readonly Segment[];
  /** Ranges of `text` that replace deceptive characters. */
  readonly marks: readonly LeafMark[];
  /** Source offsets, UTF-16 units. */
  readonly start: number;
  readonly end: number;
}

/** `renderedLength` drawn characters at `rendered` come from `sourceLength` characters at `source`. */
export interface Segment {
  readonly rendered: number;
  readonly renderedLength: number;
  readonly source: number;
  readonly sourceLength: number;
}

export interface LeafMark {
  readonly start: number;
  readonly end: number;
  readonly meaning: string;
}

export interface Block {
  readonly index: number;
  /** The name of the block's kind: "paragraph", "list item" … */
  readonly name: string;
  readonly firstLeaf: number;
  readonly lastLeaf: number;
  /** Source offsets (`end` exclusive), and lines from 1 (`endLine` inclusive). */
  readonly start: number;
  readonly end: number;
  readonly startLine: number;
  readonly endLine: number;
}

export interface Heading {
  readonly id: string;
  readonly level: number;
  readonly text: string;
  readonly block: number;
}

/** The class of a table's container, which scrolls if the table is wider than the page. */
export const TABLE_SCROLL = "table-scroll";
