import { expect, it } from "vitest";
import { modeChange } from "../../../../src/render/diff/patch/mode-change.ts";

it.each([
  [{ oldMode: "100644", newMode: "100755" }, "made executable"],
  [{ oldMode: "100755", newMode: "100644" }, "no longer executable"],
  [{ newMode: "100755" }, "executable"],
  [{ newMode: "120000" }, "symbolic link"],
  [{ oldMode: "120000", newMode: "120000" }, "symbolic link"],
  [{ oldMode: "120000" }, "symbolic link"],
  [{ oldMode: "160000", newMode: "160000" }, "submodule"],
  [{ oldMode: "100644", newMode: "100664" }, "mode 100644 → 100664"],
  [{ oldMode: "100755", newMode: "100755" }, undefined],
  [{ newMode: "100644" }, undefined],
  [{}, undefined],
])("says of %j %j", (modes, note) => {
  expect(modeChange(modes)).toBe(note);
});
