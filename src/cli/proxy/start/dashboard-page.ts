import { pagesFolder } from "../../pages-folder.ts";

/** The dashboard as it was built, looked for when somebody looks at it. Rejects where it was not. */
export async function dashboardPage(): Promise<string> {
  const { pageSource } = await import("../../../http/page-source.ts");
  return pageSource(pagesFolder).html("dashboard");
}
