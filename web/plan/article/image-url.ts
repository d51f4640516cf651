import { embeddedImage, imageUrl } from "../../shared/images/upload.ts";

/**
 * Returns the URL of an image in a plan: a data URL for an embedded image, and a URL of the server for a local one.
 * Returns undefined for any other URL, because loading a remote image would reveal that the plan is being read.
 */
export function resolveImageUrl(source: string, cwd: string): string | undefined {
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
