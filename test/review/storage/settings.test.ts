import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createSettingsStore } from "../../../src/review/storage/settings.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const INITIAL = { theme: "system", planSave: { enabled: true } } as const;

it("stores a choice and keeps the other settings", async () => {
  const folder = await temporaryFolder();
  expect(await createSettingsStore(folder, INITIAL).read()).toEqual(INITIAL);
  await createSettingsStore(folder, INITIAL).change({ theme: "dark" });
  expect(await createSettingsStore(folder, INITIAL).read()).toEqual({ ...INITIAL, theme: "dark" });
});

it("loses none of several concurrent choices", async () => {
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

it("keeps settings of another version, and ignores only the unknown value", async () => {
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

it("renames a damaged file", async () => {
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
