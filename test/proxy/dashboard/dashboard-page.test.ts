import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { filledPage, lockedPage } from "../../../src/proxy/dashboard/dashboard-page.ts";
import { NO_FILTERS } from "../../../src/render/dashboard/calls.ts";
import { html } from "../../../src/render/dashboard/html.ts";
import { emptyState, finished } from "../../support/dashboard-state.ts";

const BUILT = `<head><style>own-style</style></head><div id="dashboard"><!--dashboard--></div><script type="module">own-script</script>`;
const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const VIEW = {
  filters: NO_FILTERS,
  base: "http://localhost",
  isInteractive: false,
  connection: "still",
} as const;

describe("the content security policy of the dashboard", () => {
  it("allows the page's own script and style, whatever the content between them is", () => {
    const names = ["</style><style>x</style>", "<script>x</script>", "$&", "<!--dashboard-->"];
    const state = { ...emptyState, calls: names.map((model, index) => finished({ id: `r${index}`, model })) };
    const { html: page, policy } = filledPage(BUILT, state, VIEW);
    expect(policy).toContain(`script-src ${hash("own-script")};`);
    expect(policy).toContain(`style-src ${hash("own-style")};`);
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain("unsafe");
    expect(page.match(/<script/g)).toHaveLength(1);
    expect(page.match(/<style/g)).toHaveLength(1);
    expect(page).toContain("$&#38;");
  });

  it("allows no script or style if the page is not built", () => {
    expect(lockedPage("<!--dashboard-->").policy).toContain("script-src 'none'; style-src 'none'");
  });
});

describe("the form that asks for a key", () => {
  it("names the file of the admin key only for a proxy with a database", () => {
    expect(lockedPage(BUILT).html).toContain(
      "If the proxy has a database, its first start stored an admin key",
    );
  });
});

describe("HTML templates", () => {
  it("escape values and insert markup and lists of markup", () => {
    const items = ["a&b", "<c>"].map((text) => html`<li class="${'"x'}">${text}</li>`);
    expect(html`<ul>${items}${false}${undefined}${0}</ul>`.text).toBe(
      '<ul><li class="&#34;x">a&#38;b</li><li class="&#34;x">&#60;c&#62;</li>0</ul>',
    );
  });
});
