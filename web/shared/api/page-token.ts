const NAME = "x-sallyport-page";

/** Returns the header that tells this server's page from a program; none in a page that was saved as a file. */
export function pageTokenHeader(): Readonly<Record<string, string>> {
  const token = element()?.content;
  return token === undefined ? {} : { [NAME]: token };
}

/** Fetches the token of the server that answers at this address now: each server gives its pages another. */
export async function renewPageToken(): Promise<void> {
  try {
    const html = await (await fetch("/", { cache: "no-store" })).text();
    const token = new RegExp(`<meta name="${NAME}" content="([\\w-]+)">`).exec(html)?.[1];
    const meta = element();
    if (token !== undefined && meta) meta.content = token;
  } catch {
    // The server has gone again: the next one is met the same way.
  }
}

function element(): HTMLMetaElement | null {
  return document.querySelector<HTMLMetaElement>(`meta[name="${NAME}"]`);
}
