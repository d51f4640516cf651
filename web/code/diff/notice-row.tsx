import { lazy, Suspense } from "react";
import { describeChange } from "../core/omitted.ts";
import type { FileBody } from "../core/rows/file-body.ts";
import { useNotebooks } from "../state/notebooks.ts";
import { useSession } from "../state/session.ts";

const ImagePreview = lazy(() =>
  import("../preview/image-preview.tsx").then((module) => ({ default: module.ImagePreview })),
);

const BinarySizes = lazy(() =>
  import("../preview/binary-sizes.tsx").then((module) => ({ default: module.BinarySizes })),
);

const IMAGE = /\.(png|jpe?g|webp)$/i;

/** Renders a description and images of a change, in place of a file's lines. */
export function NoticeRow({ body, row }: { readonly body: FileBody; readonly row: number }) {
  const { file, patch } = body;
  // Sizes come from the server. A saved page has no server, and the server has sizes only for the whole diff, not for
  // the changes since a round.
  const isServed = useNotebooks((state) => state.isServed);
  const hasSizes = useSession(({ since }) => since === undefined) && isServed;
  return (
    <div role="row" className="row notice-row" aria-rowindex={row + 1} data-notice>
      <div role="cell">
        <p>
          {patch?.broken ? "Cannot parse this patch. Its raw text:" : describeChange(file)}
          {file.binary && hasSizes && (
            <Suspense fallback={null}>
              <BinarySizes file={file} />
            </Suspense>
          )}
        </p>
        {patch?.broken && <pre className="raw-patch">{patch.text.slice(0, 100_000)}</pre>}
        {file.binary && IMAGE.test(file.path) && (
          <Suspense fallback={null}>
            <ImagePreview file={file} />
          </Suspense>
        )}
      </div>
    </div>
  );
}
