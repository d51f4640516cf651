import type { AttachedImage } from "../../../src/review/api-types.ts";
import { imageUrl } from "../images/upload.ts";

interface WithImages {
  readonly images?: readonly AttachedImage[];
}

/**
 * Returns comments whose attached images have names such as `attached:1` in place of their local paths, and the URL of
 * each image by that name.
 */
export function withNamedImages<Comment extends WithImages>(
  comments: readonly Comment[],
): { readonly comments: readonly Comment[]; readonly urls: ReadonlyMap<string, string> } {
  const names = new Map<string, string>();
  const rename = ({ path, name }: AttachedImage): AttachedImage => {
    const given = names.get(path) ?? `attached:${names.size + 1}`;
    names.set(path, given);
    return { path: given, name };
  };
  const renamed = comments.map((comment) =>
    comment.images ? { ...comment, images: comment.images.map(rename) } : comment,
  );
  return { comments: renamed, urls: new Map([...names].map(([path, given]) => [given, imageUrl(path)])) };
}
