import axe from "axe-core";
import type { Page } from "playwright-core";

/** Returns the violations that axe finds, one line each with its location. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const found = await page.evaluate(async () => {
    const runner = (window as unknown as { axe: typeof axe }).axe;
    const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
    const result = await runner.run(document, { runOnly: tags });
    return result.violations.map(({ id, impact, nodes }) => ({
      id,
      impact,
      where: nodes.map(({ target, failureSummary }) => `${target.join(" ")}: ${failureSummary ?? ""}`),
    }));
  });
  return found.map(({ id, impact, where }) => `${id} (${impact}) ${where.join(" || ")}`);
}
