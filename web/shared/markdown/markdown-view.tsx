import "../styles/markdown-layer.css";
import {
  createContext,
  createElement,
  memo,
  type ReactNode,
  useContext,
  useEffect,
  useRef,
  useState,
} from "react";
import { classNames } from "../../../src/render/class-names.ts";
import { UNRENDERED } from "../../../src/render/markdown/markdown-html.ts";
import {
  type Leaf,
  type MarkdownDocument,
  type MarkdownNode,
  TABLE_SCROLL,
} from "../../../src/render/markdown/model.ts";
import { CodeBlock } from "./code-block.tsx";
import { CodeText } from "./code-text.tsx";

/** The parts of a Markdown view that the page provides. */
export interface MarkdownHost {
  /** Returns the URL to load an image from; undefined if it must not be loaded. */
  readonly imageUrl: (source: string) => string | undefined;
}

const DocumentContext = createContext<MarkdownDocument | undefined>(undefined);

interface MarkdownViewProps extends MarkdownHost {
  readonly document: MarkdownDocument;
  /** The nodes to render. Default: all. */
  readonly nodes?: readonly MarkdownNode[];
  readonly small?: boolean;
}

interface DrawOptions extends MarkdownHost {
  /** Whether the nodes belong to an earlier version, whose indexes are invalid in this version. */
  readonly isRemoved?: boolean;
}

/**
 * Renders a parsed Markdown text. Every leaf of text is in an element with `data-leaf`, whose DOM text without removed
 * text equals the leaf's; every block has `data-block`. Removed content has neither attribute. The browser never parses
 * text of the document as HTML, because React inserts strings as text nodes.
 */
export const MarkdownView = memo(function MarkdownView(props: MarkdownViewProps) {
  const { document, nodes = document.nodes, imageUrl, small } = props;
  return (
    <DocumentContext value={document}>
      <div
        className={classNames("markdown", small && "markdown-small", document.isPlain && "markdown-plain")}
      >
        {drawAll(nodes, { imageUrl })}
      </div>
    </DocumentContext>
  );
});

function drawAll(nodes: readonly MarkdownNode[], host: DrawOptions): ReactNode[] {
  // biome-ignore lint/suspicious/noArrayIndexKey: the tree never changes; another document is rendered again
  return nodes.map((node, index) => <Node key={index} node={node} host={host} />);
}

function Node({ node, host }: { readonly node: MarkdownNode; readonly host: DrawOptions }): ReactNode {
  const document = useContext(DocumentContext);
  switch (node.kind) {
    case "text":
      return node.text;
    case "mark":
      return (
        <span className="deceptive" title={`${node.text}: ${node.meaning}`}>
          {node.text}
        </span>
      );
    case "task":
      return (
        <input type="checkbox" checked={node.checked} disabled aria-label={node.checked ? "Done" : "To do"} />
      );
    case "image":
      return <MarkdownImage image={node} url={host.imageUrl(node.source)} />;
    case "link":
      return <Link node={node}>{drawAll(node.children, host)}</Link>;
    case "code": {
      const leaf = document?.leaves[node.leaf];
      return leaf && <CodeBlock leaf={leaf} node={node} isRemoved={host.isRemoved} />;
    }
    case "unrendered": {
      const leaf = document?.leaves[node.leaf];
      return leaf && <Unrendered leaf={leaf} node={node} isRemoved={host.isRemoved} />;
    }
    case "removed":
      return <Removed node={node} host={host} />;
    case "element":
      if (node.attributes?.["class"] === TABLE_SCROLL)
        return <TableScroll>{drawAll(node.children, host)}</TableScroll>;
      // Children are passed as one array, because a paragraph may have more nodes than a call accepts
      // arguments. A void element accepts no children.
      return createElement(
        node.tag,
        toProperties(node, host.isRemoved),
        node.children.length === 0 ? undefined : drawAll(node.children, host),
      );
  }
}

function toProperties(
  node: Extract<MarkdownNode, { kind: "element" }>,
  isRemoved = false,
): Record<string, unknown> {
  const { class: className, align, start, id, open, ...attributes } = node.attributes ?? {};
  return {
    ...attributes,
    className,
    ...(start && { start: Number(start) }),
    ...(open && { open: true }),
    ...(align && { style: { textAlign: align } }),
    ...(!isRemoved && { id, "data-leaf": node.leaf, "data-block": node.block, "data-change": node.change }),
  };
}

/** Renders removed content, which is not part of this version. */
function Removed({
  node,
  host,
}: {
  readonly node: Extract<MarkdownNode, { kind: "removed" }>;
  readonly host: DrawOptions;
}) {
  const { tag, id, at, document, children } = node;
  const isText = tag === "del";
  const properties = {
    className: isText ? "removed-text" : "removed-block",
    "data-removed": id,
    "data-at": at,
    ...(!isText && { "data-change": "removed" }),
  };
  const drawn = drawAll(children, { ...host, isRemoved: true });
  return createElement(
    tag,
    properties,
    document ? <DocumentContext value={document}>{drawn}</DocumentContext> : drawn,
  );
}

function Link({
  node,
  children,
}: {
  readonly node: { readonly href: string; readonly title: string };
  readonly children: ReactNode;
}) {
  const { href } = node;
  const title = node.title ? `${href}: ${node.title}` : href;
  if (href.startsWith("#")) return <a href={href}>{children}</a>;
  if (!/^(https?:|mailto:)/i.test(href)) {
    return (
      <span className="path-link" title={title}>
        {children}
      </span>
    );
  }
  return (
    <a href={href} title={title} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}

function Unrendered({ leaf, node, isRemoved = false }: UnrenderedProps) {
  return (
    <div
      className="unrendered"
      data-block={isRemoved ? undefined : leaf.block}
      data-change={isRemoved ? undefined : node.change}
    >
      <strong>{UNRENDERED}</strong>
      <CodeText
        leaf={leaf}
        runs={[{ text: leaf.text, scope: undefined }]}
        edits={node.edits}
        isRemoved={isRemoved}
      />
    </div>
  );
}

interface UnrenderedProps {
  readonly leaf: Leaf;
  readonly node: Extract<MarkdownNode, { kind: "unrendered" }>;
  readonly isRemoved: boolean | undefined;
}

interface MarkdownImageProps {
  readonly image: { readonly source: string; readonly alt: string; readonly title: string };
  readonly url: string | undefined;
}

/**
 * Renders an image, or only its name if the host returned no URL. Loading a remote image would reveal that the text is
 * being read.
 */
function MarkdownImage({ image, url }: MarkdownImageProps) {
  const [failed, setFailed] = useState(false);
  const name = image.alt || image.source;
  if (url === undefined) {
    return <span className="image-blocked" title={image.source} data-message={`Image not loaded: ${name}`} />;
  }
  if (failed) {
    return <span className="image-missing" title={image.source} data-message={`Image not found: ${name}`} />;
  }
  const title = image.title || image.source;
  return <img src={url} alt={image.alt} title={title} loading="lazy" onError={() => setFailed(true)} />;
}

/**
 * Renders the scroll container of a table. If the table is wider than the container, the container is focusable and
 * labeled, so that keys can scroll it.
 */
function TableScroll({ children }: { readonly children: ReactNode }) {
  const element = useRef<HTMLDivElement>(null);
  const [isWider, setIsWider] = useState(false);
  useEffect(() => {
    const container = element.current;
    if (!container) return undefined;
    const observer = new ResizeObserver(() => setIsWider(container.scrollWidth > container.clientWidth));
    observer.observe(container);
    if (container.firstElementChild) observer.observe(container.firstElementChild);
    return () => observer.disconnect();
  }, []);
  const focusable = isWider ? { tabIndex: 0, role: "group", "aria-label": "Table, wider than the page" } : {};
  return (
    <div ref={element} className={TABLE_SCROLL} {...focusable}>
      {children}
    </div>
  );
}
