import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { getAsset, isSea } from "node:sea";
import fastifyStatic from "@fastify/static";
import type { FastifyInstance } from "fastify";
import { framedHeaders } from "./security-headers.ts";

/** The built pages: in a folder beside the command, or inside the single executable. */
export interface PageSource {
  /** Resolves to a page's HTML. Rejects if the pages are not built. */
  html(name: PageName): Promise<string>;
  /** Registers /assets/*. The names of all files other than HTML contain a hash of the content. */
  addAssets(app: FastifyInstance): void;
}

export type PageName = "plan" | "code" | "dashboard" | "inbox";

/** Returns the pages inside the executable if this process is one, or those in `folder` otherwise. */
export function pageSource(folder: () => string): PageSource {
  return isSea() ? embeddedPages() : pagesIn(folder());
}

function pagesIn(folder: string): PageSource {
  return {
    html: (name) => readFile(join(folder, name, "index.html"), "utf8"),
    addAssets(app) {
      app.register(fastifyStatic, {
        root: join(folder, "assets"),
        prefix: "/assets/",
        wildcard: true,
        index: false,
        cacheControl: false,
        decorateReply: false,
        setHeaders: (reply, path) => void reply.headers(getAssetHeaders(path)),
      });
    },
  };
}

const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
  ".woff2": "font/woff2",
};

const IMMUTABLE = { "cache-control": "public, max-age=31536000, immutable" } as const;

/** Returns the headers of an asset: those for framed pages if it is HTML, otherwise those of an immutable file. */
function getAssetHeaders(path: string) {
  return extname(path) === ".html" ? framedHeaders : IMMUTABLE;
}

/** Returns the pages of the executable; `scripts/build-binary.mjs` adds every file of dist/web under its path. */
function embeddedPages(): PageSource {
  return {
    html: async (name) => getAsset(`${name}/index.html`, "utf8"),
    addAssets(app) {
      app.get<{ Params: { "*": string } }>("/assets/*", async (request, reply) => {
        const path = `assets/${request.params["*"]}`;
        const file = assetOrNothing(path);
        if (!file) return reply.code(404).send({ error: "File not found" });
        const type = TYPES[extname(path)] ?? "application/octet-stream";
        return reply.type(type).headers(getAssetHeaders(path)).send(file);
      });
    },
  };
}

function assetOrNothing(path: string): Buffer | undefined {
  try {
    return Buffer.from(getAsset(path));
  } catch {
    // Reading a missing asset throws.
    return undefined;
  }
}
