import { embeddedImage, imageUrl } from "../../shared/images/upload.ts";

/**
 * Where the page shows an image from that the plan names: this machine's through the server, one that the text carries
 * as it is. Undefined for images from elsewhere: loading one would tell its owner that the plan is being read.
 */
export function imageUrlOf(source: string, cwd: string): string | undefined {
  const carried = embeddedImage(source);
  if (carried) return carried;
  if (/^data:image\/(png|jpeg|webp|gif);/i.test(source)) return source;
  if (/^[a-z][a-z0-9+.-]+:|^\/\//i.test(source)) return undefined;
  const path = decoded(source.split(/[?#]/, 1)[0] ?? "");
  const isAbsolute = /^(\/|~|[a-z]:[\\/])/i.test(path);
  return imageUrl(isAbsolute ? path : `${cwd.replace(/\/$/, "")}/${path.replace(/^\.\//, "")}`);
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
