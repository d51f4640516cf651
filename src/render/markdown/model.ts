/** A Markdown text as the pages show it: a tree to draw, and the way from every drawn character back to the source. */
export interface MarkdownDocument {
  readonly source: string;
  readonly nodes: readonly MarkdownNode[];
  /** Stretches of drawn text, in the order they are drawn. */
  readonly leaves: readonly Leaf[];
  /** What can be marked as a whole: a paragraph, list item, table row, code block. */
  readonly blocks: readonly Block[];
  readonly headings: readonly Heading[];
  /** Set where the text is too long to be read as Markdown: its nodes are its lines. */
  readonly isPlain?: true;
}

export type MarkdownNode =
  | { readonly kind: "text"; readonly text: string }
  | {
      readonly kind: "element";
      readonly tag: string;
      readonly attributes?: Readonly<Record<string, string>>;
      readonly children: readonly MarkdownNode[];
      /** Set where the element is a block of its own, as a table row is. */
      readonly block?: number;
      /** Set where the element's text is a leaf: its DOM text equals that leaf's. */
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
      /** In a comparison: what differs from the earlier text of the block. */
      readonly edits?: LeafEdits;
    }
  /** Source that Markdown draws nothing for, as a link definition: an agent reads it, so a person must see it. */
  | {
      readonly kind: "unrendered";
      readonly leaf: number;
      readonly block: number;
      readonly change?: Change;
      readonly edits?: LeafEdits;
    }
  /** In a comparison: what only the earlier version has. */
  | {
      readonly kind: "removed";
      readonly tag: "del" | "div" | "li" | "tr";
      /** Unique within the comparison. */
      readonly id: number;
      /** Source offset, in the later version, of the place where it was. */
      readonly at: number;
      readonly children: readonly MarkdownNode[];
      /** The version that the children belong to; absent where they are text alone. */
      readonly document?: MarkdownDocument;
    };

/** In a comparison with an earlier version: how a block differs. */
export type Change = "added" | "changed";

/** How the drawn text of a leaf differs from an earlier version of it. */
export interface LeafEdits {
  readonly added: readonly TextStretch[];
  readonly removed: readonly RemovedText[];
}

/** Drawn characters of a leaf. */
export interface TextStretch {
  readonly start: number;
  readonly end: number;
}

/** Text that was in front of the drawn character at `offset`. */
export interface RemovedText {
  /** Unique within the comparison. */
  readonly id: number;
  readonly offset: number;
  readonly text: string;
  /** Source offset, in the later version, of the place where it was. */
  readonly at: number;
}

export interface Leaf {
  readonly index: number;
  readonly block: number;
  /** As drawn. */
  readonly text: string;
  readonly segments: readonly Segment[];
  /** Stretches of `text` that stand for characters meant to deceive. */
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
  /** What to call it: "paragraph", "list item" … */
  readonly name: string;
  readonly firstLeaf: number;
  readonly lastLeaf: number;
  /** Source offsets and lines (from 1, both inclusive). */
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

/** The class of what a table lies in, to be scrolled where it is wider than the page. */
export const TABLE_SCROLL = "table-scroll";
