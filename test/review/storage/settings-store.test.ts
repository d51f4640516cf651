import { expect, it } from "vitest";
import { createSettingsStore } from "../../../src/review/storage/settings-store.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const INITIAL = { theme: "system", planSave: { enabled: true } } as const;

it("keeps what was chosen, and what else holds", async () => {
  const folder = await temporaryFolder();
  expect(await createSettingsStore(folder, INITIAL).read()).toEqual(INITIAL);
  await createSettingsStore(folder, INITIAL).change({ theme: "dark" });
  expect(await createSettingsStore(folder, INITIAL).read()).toEqual({ ...INITIAL, theme: "dark" });
});

it("loses none of several choices made at once", async () => {
  const store = createSettingsStore(await temporaryFolder(), INITIAL);
  await Promise.all([
    store.change({ theme: "dark" }),
    store.change({ planSave: { enabled: false } }),
    store.change({ noteapp: { enabled: true } }),
    store.change({ view: { wrap: false } }),
  ]);
  expect(await store.read()).toEqual({
    theme: "dark",
    planSave: { enabled: false },
    noteapp: { enabled: true },
    view: { wrap: false },
  });
});
