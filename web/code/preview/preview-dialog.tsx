import { useEffect, useMemo, useState } from "react";
import { withDeceptionsShown } from "../../../src/render/markdown/deceptive.ts";
import type { DiffFile } from "../../../src/review/api-types.ts";
import { explain } from "../../shared/api/client.ts";
import { Dialog } from "../../shared/components/dialog.tsx";
import { ErrorLine } from "../../shared/components/error-line.tsx";
import { Segmented } from "../../shared/components/segmented.tsx";
import { loadFileText } from "../state/session.ts";
import { ImageComparison, svgUrl } from "./image-comparison.tsx";
import { MarkdownPage } from "./markdown-page.tsx";
import { openPreview, previewKind } from "./preview-store.ts";

type Side = "old" | "new";
type Shown = Side | "both";

/** The texts of both sides; a new or deleted file has only one. */
interface Texts {
  readonly old?: string;
  readonly new?: string;
  readonly error?: string;
}

/**
 * Renders a Markdown or SVG file before and after the change. The file cannot run scripts or load other
 * files.
 */
export function PreviewDialog({ file }: { readonly file: DiffFile }) {
  const texts = useTexts(file);
  const isLoaded = texts.old !== undefined || texts.new !== undefined;
  return (
    <Dialog
      title={`Preview of ${withDeceptionsShown(file.path)}`}
      wide
      onlyText
      onClose={() => openPreview(undefined)}
    >
      <ErrorLine error={texts.error} />
      {!isLoaded && texts.error === undefined && (
        <p className="hint" role="status">
          Loading …
        </p>
      )}
      {isLoaded &&
        (previewKind(file) === "svg" ? (
          <SvgPreview file={file} texts={texts} />
        ) : (
          <MarkdownPreview texts={texts} />
        ))}
    </Dialog>
  );
}

function useTexts({ path, status }: DiffFile): Texts {
  const [texts, setTexts] = useState<Texts>({});
  useEffect(() => {
    let isCurrent = true;
    const sides = (["old", "new"] as const).filter(
      (side) => status !== (side === "old" ? "added" : "deleted"),
    );
    void Promise.all(sides.map((side) => loadFileText(path, side))).then((results) => {
      if (!isCurrent) return;
      const found: { old?: string; new?: string; error?: string } = {};
      for (const [index, side] of sides.entries()) {
        const result = results[index];
        if (result?.ok) found[side] = result.value.text;
        else if (result) found.error = explain(result);
      }
      setTexts(found);
    });
    return () => {
      isCurrent = false;
    };
  }, [path, status]);
  return texts;
}

function MarkdownPreview({ texts }: { readonly texts: Texts }) {
  const hasBoth = texts.old !== undefined && texts.new !== undefined;
  const [chosen, setShown] = useState<Shown>("new");
  const shown = hasBoth ? chosen : texts.new === undefined ? "old" : "new";
  const sides = (["old", "new"] as const).filter((side) => shown === "both" || shown === side);
  return (
    <>
      {hasBoth && (
        <div>
          <Segmented
            label="Version"
            value={shown}
            onChange={setShown}
            options={[
              { value: "old", label: "Before" },
              { value: "new", label: "After" },
              { value: "both", label: "Side by side" },
            ]}
          />
        </div>
      )}
      <div className={shown === "both" ? "preview-pages preview-both" : "preview-pages"}>
        {sides.map((side) => (
          <MarkdownPage key={side} side={side} text={texts[side] ?? ""} />
        ))}
      </div>
    </>
  );
}

function SvgPreview({ file: { path }, texts }: { readonly file: DiffFile; readonly texts: Texts }) {
  const sources = useMemo(() => ({ old: svgUrl(texts.old), new: svgUrl(texts.new) }), [texts]);
  const leftOut = (["old", "new"] as const).filter(
    (side) => texts[side] !== undefined && sources[side] === undefined,
  );
  return (
    <>
      {leftOut.length > 0 && (
        <p className="hint">
          {leftOut.length === 1 ? "One version is not shown: it" : "Neither version is shown: each"} is longer
          than 1,000,000 characters, or declares entities, which can expand to any size.
        </p>
      )}
      <ImageComparison name={path} sources={sources} />
    </>
  );
}
