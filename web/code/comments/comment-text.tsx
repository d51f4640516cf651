import { lazy, Suspense } from "react";

const RenderedText = lazy(async () => ({ default: (await import("./rendered-text.tsx")).RenderedText }));

/** A comment's Markdown, drawn; as plain text until the renderer has come. */
export function CommentText({ text }: { readonly text: string }) {
  return (
    <div className="comment-text">
      <Suspense fallback={<p className="comment-plain">{text}</p>}>
        <RenderedText text={text} />
      </Suspense>
    </div>
  );
}
