import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ask } from "../../../../web/shared/ask/ask-request.ts";
import { openAsk, useAsk, writeQuestion } from "../../../../web/shared/ask/ask-store.ts";

const about = { title: "the thread", thread: "t_1" };
const written = () => useAsk.getState().questions.get("t_1");

beforeEach(() => {
  vi.stubGlobal("document", { querySelector: () => null });
  useAsk.setState({ ...useAsk.getInitialState(), model: "small" }, true);
});
afterEach(() => void vi.unstubAllGlobals());

it("a question to a model returns to its field if there is no answer, and not if there is one", async () => {
  openAsk(about);
  writeQuestion(about, "Is it right?");
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")));
  await ask("Is it right?");
  expect(useAsk.getState().error).toContain("Can't reach Sallyport");
  expect(written()).toBe("Is it right?");
  vi.stubGlobal("fetch", async () => new Response('data: {"text":"Yes"}\n\n'));
  await ask("Is it right?");
  expect(useAsk.getState().exchanges.get("t_1")).toMatchObject([{ response: "Yes" }]);
  expect(written()).toBe("");
});
