import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createSettingsStore } from "../../../src/review/storage/settings.ts";
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

it("keeps what another version wrote, and of one unknown value loses nothing else", async () => {
  const folder = await temporaryFolder();
  const path = join(folder, "settings.json");
  const written = { theme: "sepia", planSave: { enabled: false }, later: { a: [1] } };
  await writeFile(path, JSON.stringify(written));
  const store = createSettingsStore(folder, INITIAL);
  expect(await store.read()).toEqual({ theme: "system", planSave: { enabled: false } });
  expect(await store.change({ view: { wrap: true } })).toEqual({
    theme: "system",
    planSave: { enabled: false },
    view: { wrap: true },
  });
  expect(JSON.parse(await readFile(path, "utf8"))).toEqual({ ...written, view: { wrap: true } });
});

it("keeps a damaged file aside", async () => {
  const folder = await temporaryFolder();
  const path = join(folder, "settings.json");
  await writeFile(path, "{half");
  const store = createSettingsStore(folder, INITIAL);
  expect(await store.read()).toEqual(INITIAL);
  await store.change({ theme: "dark" });
  expect(await readFile(`${path}.damaged`, "utf8")).toBe("{half");
  expect(await store.read()).toEqual({ ...INITIAL, theme: "dark" });
});

it("loses none of several choices made in different processes", async () => {
  const folder = await temporaryFolder();
  const change = (members: object) => createSettingsStore(folder, INITIAL).change(members);
  await Promise.all([
    change({ theme: "dark" }),
    change({ planSave: { enabled: false } }),
    change({ noteapp: { enabled: true } }),
  ]);
  expect(await createSettingsStore(folder, INITIAL).read()).toEqual({
    theme: "dark",
    planSave: { enabled: false },
    noteapp: { enabled: true },
  });
});
