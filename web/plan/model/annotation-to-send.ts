import { withClosedFence } from "../../../src/render/markdown/closed-fences.ts";
import { fenced } from "../../../src/render/markdown/fences.ts";
import type { NewThreadBody, PlanAnnotation } from "../../../src/review/api-types.ts";

/** Converts an annotation to the thread to store. */
export function threadBody(annotation: PlanAnnotation): NewThreadBody {
  const { anchor, type, replacement } = annotation;
  const isReplacement = type === "replace" || type === "delete";
  return {
    anchor: anchor && !anchor.removed && anchor.end > anchor.start ? planAnchor(anchor) : { kind: "review" },
    type: type === "concern" ? "concern" : isReplacement ? "suggestion" : "comment",
    markdown: threadText(annotation),
    ...(isReplacement && { suggestedCode: type === "delete" ? "" : (replacement ?? "") }),
  };
}

function planAnchor({ start, end }: { readonly start: number; readonly end: number }) {
  return { kind: "plan", start, end } as const;
}

/** Returns the text of an annotation with what its type asks for. A message is never empty. */
function threadText({ type, text, replacement, images = [], anchor, author }: PlanAnnotation): string {
  const parts: string[] = [];
  if (anchor?.removed) parts.push(`About text that was removed:\n\n${fenced(anchor.quote, "markdown")}`);
  if (author) parts.push(`From ${author.replace(/\s+/g, " ")}:`);
  if (type === "insert") parts.push(`Add this after it:\n\n${fenced(replacement ?? "", "markdown")}`);
  else if (type === "delete" || (type === "replace" && replacement === "")) parts.push("Remove this.");
  else if (type === "replace" && text.trim() === "") parts.push("Replace this as suggested.");
  if (text.trim() !== "") parts.push(withClosedFence(text.trim()));
  if (images.length > 0)
    parts.push(`Images:\n${images.map(({ name, path }) => `- ${name}: \`${path}\``).join("\n")}`);
  return parts.join("\n\n");
}

/** Formats an annotation whose text the plan no longer has: the quote, then the comment. */
export function threadAsText(annotation: PlanAnnotation): string {
  const { anchor } = annotation;
  const text = threadText(annotation);
  return anchor && !anchor.removed ? `${fenced(anchor.quote, "markdown")}\n\n${text}` : text;
}
