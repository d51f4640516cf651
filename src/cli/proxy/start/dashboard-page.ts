import { pagesFolder } from "../../pages-folder.ts";

/** Reads the built dashboard page. Rejects if the page was not built. */
export async function dashboardPage(): Promise<string> {
  const { pageSource } = await import("../../../http/page-source.ts");
  return pageSource(pagesFolder).html("dashboard");
}
