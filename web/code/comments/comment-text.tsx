import { lazy, Suspense } from "react";

/** The Markdown renderer, or plain text if it cannot be loaded, for example because the server has stopped. */
const RenderedText = lazy(() =>
  import("./rendered-text.tsx").then(
    (module) => ({ default: module.RenderedText }),
    () => ({ default: PlainText }),
  ),
);

/** Renders a comment's Markdown; plain text until the renderer is loaded. */
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
