import { type ReactNode, useCallback, useEffect, useState } from "react";
import { Button } from "../../components/button.tsx";
import { useTheme } from "../../theme/theme.ts";
import { drawDiagram } from "./draw-diagram.ts";

interface DiagramProps {
  readonly source: string;
  /** Shown while the diagram loads, and with the reason if the diagram cannot be rendered. */
  readonly fallback: ReactNode;
}

type Shown = { readonly url: string } | { readonly error: string; readonly again: boolean };

/** Renders a Mermaid diagram as an image, in which nothing can run scripts or load resources. */
export function Diagram({ source, fallback }: DiagramProps) {
  const [shown, draw] = useDrawing(source);
  if (shown && "url" in shown) {
    return (
      <div className="diagram">
        <img src={shown.url} alt={`Diagram: ${source.slice(0, 300)}`} />
      </div>
    );
  }
  return (
    <>
      {shown && (
        <p className="diagram-error">
          Cannot render this diagram: {firstLine(shown.error)}{" "}
          {shown.again && (
            <Button small onClick={draw}>
              Try again
            </Button>
          )}
        </p>
      )}
      {fallback}
    </>
  );
}

/**
 * Returns the rendered diagram and a function that retries. Retries automatically when the tab becomes visible, if
 * another attempt may succeed.
 */
function useDrawing(source: string): [Shown | undefined, () => void] {
  const theme = useTheme(({ resolved }) => resolved);
  const [shown, setShown] = useState<Shown>();
  const [attempt, setAttempt] = useState(0);
  const draw = useCallback(() => setAttempt((count) => count + 1), []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt draws the same once more
  useEffect(() => {
    let url: string | undefined;
    let current = true;
    void drawDiagram(source, theme).then((drawn) => {
      if (!current) return;
      if ("error" in drawn) return setShown(drawn);
      url = URL.createObjectURL(new Blob([drawn.svg], { type: "image/svg+xml" }));
      setShown({ url });
    });
    return () => {
      current = false;
      if (url) URL.revokeObjectURL(url);
    };
  }, [source, theme, attempt]);

  const mayRetry = shown !== undefined && "error" in shown && shown.again;
  useEffect(() => {
    if (!mayRetry) return undefined;
    const onShown = () => document.visibilityState === "visible" && draw();
    document.addEventListener("visibilitychange", onShown);
    return () => document.removeEventListener("visibilitychange", onShown);
  }, [mayRetry, draw]);
  return [shown, draw];
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}
