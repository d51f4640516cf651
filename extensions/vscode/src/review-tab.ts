import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import type { RunningReview } from "../../../src/review/live/running-files.ts";
import { createReviewClient } from "./review-client.ts";

const tabs = new Map<string, vscode.WebviewPanel>();

/** Shows a review in an editor tab, or reveals its tab. */
export async function showReview({ id, port, title }: ReviewToShow): Promise<void> {
  const known = tabs.get(id);
  if (known) {
    known.reveal();
    return;
  }
  const path = await createReviewClient(port).embeddedPath();
  const url = `${await reachableOrigin(port)}${path}`;
  const tab = vscode.window.createWebviewPanel("sallyport.review", title, vscode.ViewColumn.Active, {
    enableScripts: true,
    retainContextWhenHidden: true,
  });
  tabs.set(id, tab);
  tab.onDidDispose(() => tabs.delete(id));
  tab.webview.html = frameHtml(url);
}

/**
 * Returns the origin at which the person's machine reaches a port, which the editor forwards in a remote window.
 * Ignores forwarding below a path, as in code-server, because the page's files have absolute paths.
 */
async function reachableOrigin(port: number): Promise<string> {
  const local = `http://localhost:${port}`;
  const reachable = await vscode.env.asExternalUri(vscode.Uri.parse(local));
  return /^\/?$/.test(reachable.path) ? reachable.toString(true).replace(/\/$/, "") : local;
}

type ReviewToShow = Pick<RunningReview, "id" | "port" | "title">;

/** Forgets the tabs of reviews that have ended. The tabs stay open, because they show the result. */
export function forgetEnded(open: readonly Pick<RunningReview, "id">[]): void {
  for (const id of tabs.keys()) if (open.every((review) => review.id !== id)) tabs.delete(id);
}

/** Returns a document that shows a page in a frame. The page may use the clipboard. */
export function frameHtml(url: string): string {
  const nonce = randomBytes(16).toString("base64");
  const { origin } = new URL(url);
  const policy = `default-src 'none'; frame-src ${origin}; style-src 'nonce-${nonce}'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="${policy}">
<style nonce="${nonce}">
html, body, iframe { width: 100%; height: 100%; margin: 0; padding: 0; border: 0; display: block; overflow: hidden }
</style>
</head>
<body><iframe src="${escaped(url)}" title="Review" allow="clipboard-read; clipboard-write"></iframe></body>
</html>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
