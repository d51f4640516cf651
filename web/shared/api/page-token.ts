const NAME = "x-sallyport-page";

/** Returns the header that identifies this server's page to the server; empty in a page that was saved as a file. */
export function pageTokenHeader(): Readonly<Record<string, string>> {
  const token = element()?.content;
  return token === undefined ? {} : { [NAME]: token };
}

/** Replaces the page token with that of the server that now runs at this address. Each server has a different token. */
export async function renewPageToken(): Promise<void> {
  try {
    const html = await (await fetch("/", { cache: "no-store" })).text();
    const token = new RegExp(`<meta name="${NAME}" content="([\\w-]+)">`).exec(html)?.[1];
    const meta = element();
    if (token !== undefined && meta) meta.content = token;
  } catch {
    // The server is not reachable, so the token does not change.
  }
}

function element(): HTMLMetaElement | null {
  return document.querySelector<HTMLMetaElement>(`meta[name="${NAME}"]`);
}
