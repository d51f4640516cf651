import { pagesFolder } from "../../pages-folder.ts";

/** Returns the built dashboard page, which is read on first use. Rejects if the page was not built. */
export async function dashboardPage(): Promise<string> {
  const { pageSource } = await import("../../../http/page-source.ts");
  return pageSource(pagesFolder).html("dashboard");
}
