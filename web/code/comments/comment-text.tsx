import { lazy, Suspense } from "react";

/** A server that is gone brings no renderer any more: words as they are, rather than a page that has failed. */
const RenderedText = lazy(() =>
  import("./rendered-text.tsx").then(
    ({ RenderedText: Rendered }) => ({ default: Rendered }),
    () => ({ default: PlainText }),
  ),
);

function PlainText({ text }: { readonly text: string }) {
  return <p className="comment-plain">{text}</p>;
}

/** A comment's Markdown, drawn; as plain text until the renderer has come. */
export function CommentText({ text }: { readonly text: string }) {
  return (
    <div className="comment-text">
      <Suspense fallback={<PlainText text={text} />}>
        <RenderedText text={text} />
      </Suspense>
    </div>
  );
}
