import { lazy, Suspense } from "react";

/** Once the server is gone the renderer cannot come any more; the words are there all the same. */
const RenderedText = lazy(() =>
  import("./rendered-text.tsx").then(
    (module) => ({ default: module.RenderedText }),
    () => ({ default: PlainText }),
  ),
);

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

function PlainText({ text }: { readonly text: string }) {
  return <p className="comment-plain">{text}</p>;
}
