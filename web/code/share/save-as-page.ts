import type { DiffIndex } from "../../../src/review/api-types.ts";
import { createSavedPage, loadImages, type PageTemplate } from "../../shared/share/saved-page.ts";
import { withNamedImages } from "../../shared/share/shared-images.ts";
import { nonEmptyComments, useComments } from "../state/comments.ts";
import { diffLabel } from "../state/diff-label.ts";
import { useSession } from "../state/session.ts";
import { toSavedIndex } from "./saved-index.ts";
import { CODE_DATA_ELEMENT, type SharedCodeReview } from "./shared-code-review.ts";

/** Maximum bytes of patches that one request fetches. A request for a single file may be larger. */
const REQUEST_BYTES = 4 * 1024 * 1024;
/** Maximum bytes of the patches of a saved diff, because browsers open larger pages slowly or not at all. */
const MAX_BYTES = 64 * 1024 * 1024;
const TEMPLATE: PageTemplate = {
  url: "/assets/code-file.html",
  placeholder: "<!--shared-code-review-->",
  title: "Code review",
  element: CODE_DATA_ELEMENT,
};

/** Builds a self-contained HTML file with the diff and its comments, in which a colleague can add comments offline. */
export async function createCodePage(): Promise<{ page: Blob; title: string }> {
  const { index, diffQuery } = useSession.getState();
  if (!index) throw new Error("the diff is not loaded");
  const title = `${index.repository.name}: ${diffLabel(index, index.diffType)}`;
  const { comments, urls } = withNamedImages(nonEmptyComments(useComments.getState().comments));
  const patches = await patchesOf(index, diffQuery);
  const review: SharedCodeReview = {
    sallyportCode: 1,
    title,
    diffId: index.diffId,
    comments,
    index: toSavedIndex(index, patches),
    patches,
    images: await loadImages(urls),
  };
  return { page: await createSavedPage(TEMPLATE, review), title };
}

/** Fetches the patches of all files. Throws if the diff is too large or was replaced, or if a request fails. */
async function patchesOf({ files }: DiffIndex, diffQuery: string): Promise<string[]> {
  const total = files.reduce((sum, { patchSize }) => sum + patchSize, 0);
  if (total > MAX_BYTES) throw new Error("the diff is larger than 64 MiB");
  const patches: string[] = [];
  for (let first = 0; first < files.length; ) {
    let last = first;
    let bytes = files[first]?.patchSize ?? 0;
    while (last + 1 < files.length && bytes + (files[last + 1]?.patchSize ?? 0) <= REQUEST_BYTES) {
      last += 1;
      bytes += files[last]?.patchSize ?? 0;
    }
    const response = await fetch(`/api/diff/patch?n=${first}-${last}&${diffQuery}`);
    if (response.status === 409) throw new Error("the diff has changed; refresh it first");
    if (!response.ok) throw new Error(`the server responded with ${response.status}`);
    const received = new Uint8Array(await response.arrayBuffer());
    let offset = 0;
    for (const { patchSize } of files.slice(first, last + 1)) {
      patches.push(
        new TextDecoder("utf-8", { ignoreBOM: true }).decode(received.subarray(offset, offset + patchSize)),
      );
      offset += patchSize;
    }
    first = last + 1;
  }
  return patches;
}
