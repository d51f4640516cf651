import type { MarkdownDocument, MarkdownNode } from "../../../src/render/markdown/model.ts";
import { drawDiagram } from "../../shared/markdown/diagrams/draw-diagram.ts";
import { createSavedPage, loadImages, type PageTemplate } from "../../shared/share/saved-page.ts";
import { withNamedImages } from "../../shared/share/shared-images.ts";
import { resolveImageUrl } from "../article/image-url.ts";
import type { ReviewState } from "../state/review-store.ts";
import { DATA_ELEMENT, type SharedReview } from "./shared-review.ts";

const TEMPLATE: PageTemplate = {
  url: "/assets/plan-file.html",
  placeholder: "<!--shared-review-->",
  title: "Plan",
  element: DATA_ELEMENT,
};

/** Returns the shareable part of a review. Attached images are left out, because their paths are local. */
export function toSharedReview({ plan, document, annotations }: ReviewState): SharedReview {
  return {
    sallyport: 1,
    title: plan?.title ?? "Plan",
    plan: document.source,
    annotations: annotations.map(({ images: _images, ...rest }) => rest),
  };
}

/** Builds a self-contained HTML file that shows the plan and its annotations and can be annotated offline. */
export async function createPage(state: ReviewState): Promise<{ page: Blob; title: string }> {
  const { comments, urls } = withNamedImages(state.annotations);
  const review: SharedReview = {
    ...toSharedReview(state),
    annotations: comments,
    images: await loadImages(new Map([...planImageUrls(state), ...urls])),
    diagrams: await renderDiagrams(state.document),
  };
  return { page: await createSavedPage(TEMPLATE, review), title: review.title };
}

/** Returns the URLs of the plan's local images by their source in the Markdown. */
function planImageUrls({ document, plan }: ReviewState): ReadonlyMap<string, string> {
  const urls = new Map<string, string>();
  for (const source of imageSources(document.nodes)) {
    const url = resolveImageUrl(source, plan?.caller.cwd ?? "");
    if (url?.startsWith("/")) urls.set(source, url);
  }
  return urls;
}

function imageSources(nodes: readonly MarkdownNode[]): string[] {
  return nodes.flatMap((node) => {
    if (node.kind === "image") return [node.source];
    return "children" in node ? imageSources(node.children) : [];
  });
}

/** Renders all diagrams in the light theme, by source. */
async function renderDiagrams(document: MarkdownDocument): Promise<Record<string, string>> {
  const sources = document.blocks
    .filter(({ name }) => name === "diagram")
    .map(({ firstLeaf }) => document.leaves[firstLeaf]?.text ?? "");
  const drawn: [string, string][] = [];
  for (const source of sources) {
    // A diagram that fails is shown as source in the saved page.
    const diagram = await drawDiagram(source, "light");
    if ("svg" in diagram) drawn.push([source, diagram.svg]);
  }
  return Object.fromEntries(drawn);
}
