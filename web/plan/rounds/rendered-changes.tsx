import { useEffect, useMemo, useRef, useState } from "react";
import { Button } from "../../shared/components/button.tsx";
import { MarkdownView } from "../../shared/markdown/markdown-view.tsx";
import { parseMarkdown } from "../../shared/markdown/parse/parse-markdown.ts";
import { documentText, pointInText } from "../annotate/anchor.ts";
import { imageUrlOf } from "../article/image-url.ts";
import { domRange } from "../article/text-points.ts";
import { useReview } from "../state/review-store.ts";
import { compareWords, type PlanChange, type WordRange } from "./compare-plans.ts";

/** The comparison as a person reads it: new and old blocks as they look, changed words marked. */
export function RenderedChanges({ changes }: { readonly changes: readonly PlanChange[] }) {
  const runs = useMemo(() => foldSame(changes), [changes]);
  return (
    <div className="rendered-changes">
      {runs.map((run) => (
        <Run key={run.key} run={run} />
      ))}
    </div>
  );
}

interface ChangeRun {
  readonly key: number;
  readonly change?: PlanChange;
  /** Blocks that stayed as they were. */
  readonly same?: readonly string[];
}

function foldSame(changes: readonly PlanChange[]): ChangeRun[] {
  const runs: { key: number; change?: PlanChange; same?: string[] }[] = [];
  for (const [key, change] of changes.entries()) {
    const last = runs.at(-1);
    if (change.kind !== "same") runs.push({ key, change });
    else if (last?.same) last.same.push(change.text);
    else runs.push({ key, same: [change.text] });
  }
  return runs;
}

function Run({ run }: { readonly run: ChangeRun }) {
  if (run.same) return <Unchanged texts={run.same} />;
  if (!run.change) return null;
  if (run.change.kind === "changed") return <Changed before={run.change.before} after={run.change.after} />;
  return (
    <div className={`change change-${run.change.kind}`}>
      <span className="change-name">{run.change.kind === "added" ? "Added" : "Removed"}</span>
      <Text source={run.change.text} />
    </div>
  );
}

function Unchanged({ texts }: { readonly texts: readonly string[] }) {
  const [open, setOpen] = useState(texts.length <= 2);
  if (open) return <Text source={texts.join("\n\n")} />;
  return (
    <div className="unchanged">
      <Text source={texts[0] ?? ""} />
      <Button small variant="quiet" onClick={() => setOpen(true)}>
        {texts.length - 2 > 0 ? `${texts.length - 2} unchanged parts` : "Unchanged"}
      </Button>
      <Text source={texts.at(-1) ?? ""} />
    </div>
  );
}

function Changed({ before, after }: { readonly before: string; readonly after: string }) {
  const old = useMemo(() => parseMarkdown(before), [before]);
  const now = useMemo(() => parseMarkdown(after), [after]);
  const words = useMemo(() => compareWords(documentText(old), documentText(now)), [old, now]);
  return (
    <div className="change-pair">
      <div className="change change-removed">
        <span className="change-name">Before</span>
        <Text source={before} highlight="words-removed" words={words.removed} />
      </div>
      <div className="change change-added">
        <span className="change-name">Now</span>
        <Text source={after} highlight="words-added" words={words.added} />
      </div>
    </div>
  );
}

interface TextProps {
  readonly source: string;
  readonly highlight?: string;
  readonly words?: readonly WordRange[];
}

function Text({ source, highlight, words }: TextProps) {
  const cwd = useReview((state) => state.plan?.caller.cwd ?? "");
  const document = useMemo(() => parseMarkdown(source), [source]);
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = root.current;
    if (!element || !highlight || !words || typeof Highlight === "undefined") return;
    const ranges = words.map(({ start, end }) => {
      const [first, last] = [pointInText(document, start), pointInText(document, end)];
      return first.leaf === last.leaf
        ? domRange(element, { leaf: first.leaf, start: first.offset, end: last.offset })
        : undefined;
    });
    const registered = CSS.highlights.get(highlight) ?? new Highlight();
    const mine = ranges.filter((range) => range !== undefined);
    for (const range of mine) registered.add(range);
    CSS.highlights.set(highlight, registered);
    return () => {
      for (const range of mine) registered.delete(range);
    };
  }, [document, highlight, words]);
  return (
    <div ref={root}>
      <MarkdownView document={document} imageUrl={(path) => imageUrlOf(path, cwd)} />
    </div>
  );
}
