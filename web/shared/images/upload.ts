import type { AttachedImage, UploadResponse } from "../../../src/review/api-types.ts";
import { explain, sendFile } from "../api/client.ts";

const MAX_BYTES = 20 * 1024 * 1024;
const TYPES = ["image/png", "image/jpeg", "image/webp"];

export type UploadResult =
  | { readonly ok: true; readonly image: AttachedImage }
  | { readonly ok: false; readonly message: string };

/** Uploads an image so that the agent can open it by its path. First checks its type and size. */
export async function uploadImage(file: File): Promise<UploadResult> {
  if (!TYPES.includes(file.type)) {
    return { ok: false, message: `${file.name || "This file"} is not a PNG, JPEG or WebP image.` };
  }
  if (file.size > MAX_BYTES) return { ok: false, message: `${file.name} is larger than 20 MiB.` };
  const name = file.name || `pasted.${file.type.slice("image/".length)}`;
  const result = await sendFile<UploadResponse>("/api/upload", file, name);
  if (!result.ok) return { ok: false, message: `${name} was not uploaded: ${explain(result)}` };
  return { ok: true, image: { path: result.value.path, name } };
}

const embedded = new Map<string, string>();

/** Sets the images of a saved page, as data URLs by path. */
export function embedImages(images: Readonly<Record<string, string>>): void {
  for (const [path, url] of Object.entries(images)) embedded.set(path, url);
}

/** Returns the data URL of an embedded image. */
export const embeddedImage = (path: string): string | undefined => embedded.get(path);

/** Returns the URL of an embedded or a local image. */
export function imageUrl(path: string): string {
  return embeddedImage(path) ?? `/api/image?path=${encodeURIComponent(path)}`;
}

/** Returns the image files on a clipboard or in a drag. */
export function getImageFiles(data: DataTransfer | null): File[] {
  return data ? [...data.files].filter((file) => file.type.startsWith("image/")) : [];
}
