import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import type { Leaf, MarkdownNode } from "../../../src/render/markdown/model.ts";
import { afterPaint } from "../after-paint.ts";
import { copyText } from "../clipboard.ts";
import { IconButton } from "../components/button.tsx";
import { announce } from "../components/toast.tsx";
import { CodeText } from "./code-text.tsx";
import { Diagram } from "./diagrams/diagram.tsx";
import type { CodeRun } from "./highlight.ts";

interface CodeBlockProps {
  readonly leaf: Leaf;
  readonly node: Extract<MarkdownNode, { kind: "code" }>;
  /** Whether the block belongs to an earlier version. */
  readonly isRemoved: boolean | undefined;
}

/** Renders a code block, highlighted once the highlighter is loaded, or a diagram if the language is `mermaid`. */
export function CodeBlock({ leaf, node, isRemoved = false }: CodeBlockProps) {
  const { language, info, change, edits } = node;
  // Changes of a diagram are visible only in the diagram's source.
  const [asSource, setAsSource] = useState(language !== "mermaid" || edits !== undefined);
  const runs = useRuns(leaf.text, language);
  const code = <CodeText leaf={leaf} runs={runs} edits={edits} isRemoved={isRemoved} />;
  return (
    <div
      className="code-block"
      data-block={isRemoved ? undefined : leaf.block}
      data-change={isRemoved ? undefined : change}
    >
      <div className="code-head no-select">
        <span title={info}>{info || "text"}</span>
        {language === "mermaid" && (
          <button
            type="button"
            className="button button-quiet button-small"
            onClick={() => setAsSource(!asSource)}
          >
            {asSource ? "Diagram" : "Source"}
          </button>
        )}
        <CopyButton text={leaf.text} />
      </div>
      {asSource ? code : <Diagram source={leaf.text} fallback={code} />}
    </div>
  );
}

let highlighter: Promise<typeof import("./highlight.ts")> | undefined;

/** Imports the highlighter once, because each `import()` searches the document for preload links. */
function loadHighlighter(): Promise<typeof import("./highlight.ts")> {
  highlighter ??= import("./highlight.ts").catch((error: unknown) => {
    highlighter = undefined;
    throw error;
  });
  return highlighter;
}

/**
 * Returns the highlighted runs of the code; a single plain run until the highlighted runs are ready, or if the code
 * cannot be highlighted.
 */
function useRuns(text: string, language: string): readonly CodeRun[] {
  const [runs, setRuns] = useState<{ readonly text: string; readonly runs: readonly CodeRun[] }>();
  useEffect(() => {
    let current = true;
    const load = async () => {
      await afterPaint();
      const { highlight } = await loadHighlighter();
      const found = highlight(text, language);
      if (current && found) setRuns({ text, runs: found });
    };
    if (language !== "" && language !== "mermaid") void load();
    return () => {
      current = false;
    };
  }, [text, language]);
  return runs?.text === text ? runs.runs : [{ text, scope: undefined }];
}

function CopyButton({ text }: { readonly text: string }) {
  const [copied, setCopied] = useState(false);
  const Icon = copied ? Check : Copy;
  return (
    <IconButton
      small
      label="Copy code"
      className="no-print"
      onClick={async () => {
        if (!(await copyText(text))) return;
        announce("Code copied");
        setCopied(true);
        setTimeout(() => setCopied(false), 1_500);
      }}
    >
      <Icon size={14} aria-hidden />
    </IconButton>
  );
}
