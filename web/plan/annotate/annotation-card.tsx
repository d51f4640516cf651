import { Pencil, Trash2 } from "lucide-react";
import { memo, useMemo } from "react";
import { classNames } from "../../../src/render/class-names.ts";
import { parseMarkdown } from "../../../src/render/markdown/parse/parse-markdown.ts";
import type { AttachedImage, PlanAnnotation } from "../../../src/review/api-types.ts";
import { IconButton } from "../../shared/components/button.tsx";
import { imageUrl } from "../../shared/images/upload.ts";
import { MarkdownView } from "../../shared/markdown/markdown-view.tsx";
import { describePosition, typeNames } from "../model/annotations.ts";
import { editAnnotation, removeAnnotation, showInPlan } from "../state/actions.ts";
import { beside } from "./margin.ts";
import { TypeIcon } from "./type-icon.tsx";

interface AnnotationCardProps {
  readonly annotation: PlanAnnotation;
  readonly active: boolean;
  /**
   * The card's position among all cards, from 1, and the number of all cards. Assistive technology cannot count the
   * cards, because some of them may not be in the document.
   */
  readonly position: number;
  readonly count: number;
}

/** Shows one annotation in the sidebar. A click scrolls the plan to the annotation. */
export const AnnotationCard = memo(function AnnotationCard({
  annotation,
  active,
  position,
  count,
}: AnnotationCardProps) {
  const { id, type, anchor, text, author, replacement, images = [] } = annotation;
  const name = anchor ? `${typeNames[type]} on ${describePosition(anchor)}` : typeNames[type];

  return (
    <li
      className={classNames("card", `tone-${type}`, active && "card-active")}
      data-item={id}
      aria-setsize={count}
      aria-posinset={position}
      {...beside(anchor)}
    >
      <button
        type="button"
        className="card-position"
        aria-pressed={active}
        onClick={() => showInPlan(annotation)}
      >
        <TypeIcon type={type} />
        <span className="card-type">{typeNames[type]}</span>
        {anchor && <span className="card-lines">{describePosition(anchor)}</span>}
        {author && <span className="card-lines">by {author}</span>}
      </button>
      <span className="card-tools no-print">
        <IconButton small label={`Edit: ${name}`} onClick={() => editAnnotation(id)}>
          <Pencil size={14} aria-hidden />
        </IconButton>
        <IconButton small label={`Delete: ${name}`} onClick={() => removeAnnotation(id)}>
          <Trash2 size={14} aria-hidden />
        </IconButton>
      </span>
      <div id={`annotation-${id}`} className="card-body">
        {anchor && <blockquote className="card-quote">{shortened(anchor.quote)}</blockquote>}
        {replacement !== undefined && <Proposal type={type} text={replacement} />}
        {text !== "" && <AnnotationText text={text} />}
        {images.length > 0 && <Thumbnails images={images} />}
      </div>
    </li>
  );
});

function Proposal({ type, text }: { readonly type: PlanAnnotation["type"]; readonly text: string }) {
  if (text === "") return <p className="card-proposal hint">Remove it</p>;
  return (
    <pre className="card-proposal">
      <span className="visually-hidden">{type === "insert" ? "Insert: " : "Change to: "}</span>
      {text}
    </pre>
  );
}

function Thumbnails({ images }: { readonly images: readonly AttachedImage[] }) {
  return (
    <ul className="thumbnails">
      {images.map(({ path, name }) => (
        <li key={path} className="thumbnail">
          <a href={imageUrl(path)} target="_blank" rel="noreferrer">
            <img src={imageUrl(path)} alt={name} />
          </a>
        </li>
      ))}
    </ul>
  );
}

/** Renders an annotation's text as Markdown. */
export function AnnotationText({ text }: { readonly text: string }) {
  const document = useMemo(() => parseMarkdown(text), [text]);
  return <MarkdownView small document={document} imageUrl={() => undefined} />;
}

/**
 * Shortens a quote of more than 160 characters to its beginning and end, cut between words. Each block of the plan
 * keeps its own line.
 */
export function shortened(quote: string): string {
  const text = quote
    .trim()
    .replace(/[^\S\n]+/g, " ")
    .replace(/\s*\n\s*/g, "\n");
  if (text.length <= 160) return text;
  const head = text.slice(0, 100).replace(/(?<=\s)\S+$/, "");
  const tail = text.slice(-50).replace(/^\S+(?=\s)/, "");
  return `${head.trimEnd()} … ${tail.trimStart()}`;
}
