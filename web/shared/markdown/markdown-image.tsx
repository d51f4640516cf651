import { useState } from "react";

interface MarkdownImageProps {
  readonly image: { readonly source: string; readonly alt: string; readonly title: string };
  readonly url: string | undefined;
}

/** An image of this machine; one from elsewhere is named, never loaded, since loading it would tell its owner. */
export function MarkdownImage({ image, url }: MarkdownImageProps) {
  const [failed, setFailed] = useState(false);
  const name = image.alt || image.source;
  if (url === undefined) {
    return (
      <span
        className="image-blocked"
        title={image.source}
        data-note={`Image from elsewhere, not loaded: ${name}`}
      />
    );
  }
  if (failed) {
    return <span className="image-missing" title={image.source} data-note={`Image not found: ${name}`} />;
  }
  const title = image.title || image.source;
  return <img src={url} alt={image.alt} title={title} loading="lazy" onError={() => setFailed(true)} />;
}
