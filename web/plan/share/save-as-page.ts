import { escaped } from "../../../src/render/markdown/markdown-html.ts";
import type { MarkdownDocument, MarkdownNode } from "../../../src/render/markdown/model.ts";
import { imageUrl } from "../../shared/images/upload.ts";
import { drawDiagram } from "../../shared/markdown/diagrams/draw-diagram.ts";
import { resolveImageUrl } from "../article/image-url.ts";
import type { ReviewState } from "../state/review-store.ts";
import { DATA_ELEMENT, type SharedReview } from "./shared-review.ts";

/** Returns the shareable part of a review. Links omit attached images, whose paths are local. */
export function toSharedReview({ plan, document, annotations }: ReviewState): SharedReview {
  return {
    sallyport: 1,
    title: plan?.title ?? "Plan",
    plan: document.source,
    annotations: annotations.map(({ images: _images, ...rest }) => rest),
  };
}

/** Builds a self-contained HTML file that shows the plan and its annotations and can be annotated offline. */
export async function createPage(state: ReviewState): Promise<Blob> {
  const response = await fetch("/assets/plan-file.html", { cache: "no-store" });
  const template = await response.text();
  if (!template.includes(PLACEHOLDER))
    throw new Error("Cannot save the page: this server does not provide the template.");
  const review: SharedReview = {
    ...toSharedReview(state),
    annotations: state.annotations,
    images: await collectImages(state),
    diagrams: await renderDiagrams(state.document),
  };
  // An escaped `<` cannot close the script element, whatever the plan contains.
  const json = JSON.stringify(review).replaceAll("<", "\\u003c");
  const data = `<script type="application/json" id="${DATA_ELEMENT}">${json}</script>`;
  const page = template
    .replace(PLACEHOLDER, () => data)
    .replace("<title>Plan</title>", () => `<title>${escaped(review.title)}</title>`);
  return new Blob([page], { type: "text/html" });
}

const PLACEHOLDER = "<!--shared-review-->";

async function collectImages({ document, annotations, plan }: ReviewState): Promise<Record<string, string>> {
  const urls = new Map<string, string>();
  for (const source of imageSources(document.nodes)) {
    const url = resolveImageUrl(source, plan?.caller.cwd ?? "");
    if (url?.startsWith("/")) urls.set(source, url);
  }
  for (const { path } of annotations.flatMap(({ images = [] }) => images)) urls.set(path, imageUrl(path));
  const loaded = await Promise.all([...urls].map(async ([name, url]) => [name, await dataUrl(url)] as const));
  return Object.fromEntries(loaded.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

function imageSources(nodes: readonly MarkdownNode[]): string[] {
  return nodes.flatMap((node) => {
    if (node.kind === "image") return [node.source];
    return "children" in node ? imageSources(node.children) : [];
  });
}

async function dataUrl(url: string): Promise<string | undefined> {
  const response = await fetch(url);
  if (!response.ok || !response.headers.get("content-type")?.startsWith("image/")) return undefined;
  const reader = new FileReader();
  const read = new Promise<string>((resolve) => {
    reader.onload = () => resolve(String(reader.result));
  });
  reader.readAsDataURL(await response.blob());
  return read;
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
