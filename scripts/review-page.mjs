// Uses the review pages as a reviewer does, for the images of the documentation.

/** Selects `quote` in the plan, and comments on it. `key` is the keyboard shortcut of the annotation's type. */
export async function addNote(page, quote, key, text) {
  await page.evaluate((wanted) => {
    const walker = document.createTreeWalker(document.querySelector(".plan"), NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const at = node.data.indexOf(wanted);
      if (at === -1) continue;
      getSelection().setBaseAndExtent(node, at, node, at + wanted.length);
      return;
    }
    throw new Error(`"${wanted}" is not in the plan`);
  }, quote);
  await page.keyboard.press(key);
  await page.keyboard.type(text);
  await page.keyboard.press("Control+Enter");
}

/** Comments on a line of the new side of a diff. */
export async function addLineComment(page, { path, line, text }) {
  await page.locator(`[data-path="${path}"] .num[data-side="new"][data-line="${line}"]`).click();
  await page.locator(".comment-open textarea").first().fill(text);
  await page.keyboard.press("Control+Enter");
}

/** Presses a button that sends a decision, once it accepts input. */
export async function pressIrreversible(page, name) {
  const button = page.getByRole("dialog").getByRole("button", { name });
  await button.and(page.locator('[aria-disabled="false"]')).click();
}
