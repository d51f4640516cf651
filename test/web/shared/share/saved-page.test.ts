import { afterEach, describe, expect, it, vi } from "vitest";
import { loadImages } from "../../../../web/shared/share/saved-page.ts";

const image = { headers: { "content-type": "image/png" } };

/** Returns a response whose body ends with a network error. */
const interrupted = () =>
  new Response(new ReadableStream({ start: (body) => body.error(new TypeError("network error")) }), image);

const responses: Readonly<Record<string, () => Response>> = {
  "/ok.png": () => new Response("pixels", image),
  "/absent.png": () => new Response("", { status: 404 }),
  "/interrupted.png": interrupted,
};

/** Reads a blob as a data URL, as the browser's `FileReader` does. */
class Reader {
  result = "";
  onload = () => {};
  async readAsDataURL(blob: Blob): Promise<void> {
    this.result = `data:image/png;base64,${Buffer.from(await blob.arrayBuffer()).toString("base64")}`;
    this.onload();
  }
}

afterEach(() => {
  vi.unstubAllGlobals();
});

describe("loadImages", () => {
  it("leaves out images that the server or the network does not deliver", async () => {
    vi.stubGlobal("FileReader", Reader);
    vi.stubGlobal("fetch", async (url: string) => {
      const respond = responses[url];
      if (!respond) throw new TypeError("Failed to fetch");
      return respond();
    });
    const urls = ["/ok.png", "/absent.png", "/interrupted.png", "/unreachable.png"];
    expect(await loadImages(new Map(urls.map((url) => [url, url])))).toEqual({
      "/ok.png": "data:image/png;base64,cGl4ZWxz",
    });
  });
});
