import { type ReactNode, useEffect, useState } from "react";
import { useTheme } from "../theme/theme.ts";
import { drawDiagram } from "./draw-diagram.ts";

interface DiagramProps {
  readonly source: string;
  /** Shown while the diagram is drawn and, with the reason, where it cannot be. */
  readonly fallback: ReactNode;
}

/** A Mermaid diagram, shown as an image: what is inside one can neither run scripts nor load anything. */
export function Diagram({ source, fallback }: DiagramProps) {
  const theme = useTheme(({ resolved }) => resolved);
  const [state, setState] = useState<{ readonly url?: string; readonly error?: string }>({});

  useEffect(() => {
    let url: string | undefined;
    let current = true;
    drawDiagram(source, theme).then(
      (svg) => {
        if (!current) return;
        url = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
        setState({ url });
      },
      (error: unknown) => {
        if (current) setState({ error: error instanceof Error ? error.message : String(error) });
      },
    );
    return () => {
      current = false;
      if (url) URL.revokeObjectURL(url);
    };
  }, [source, theme]);

  if (state.url) {
    return (
      <div className="diagram">
        <img src={state.url} alt={`Diagram: ${source.slice(0, 300)}`} />
      </div>
    );
  }
  return (
    <>
      {state.error && <p className="diagram-error">This diagram cannot be drawn: {firstLine(state.error)}</p>}
      {fallback}
    </>
  );
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}
