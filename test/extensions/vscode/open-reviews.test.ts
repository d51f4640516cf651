import { afterEach, expect, it, onTestFinished, vi } from "vitest";
import { watchReviews } from "../../../extensions/vscode/src/open-reviews.ts";
import { addRunning } from "../../../src/review/live/register-review.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

it.each(["SALLYPORT_HOME", "SERVICE_HOME"])("finds the reviews in the data directory of %s", async (name) => {
  const [data, folder] = [await temporaryFolder(), await temporaryFolder()];
  for (const variable of ["SALLYPORT_HOME", "SERVICE_HOME"]) vi.stubEnv(variable, undefined);
  vi.stubEnv("XDG_DATA_HOME", folder);
  vi.stubEnv(name, data);
  await addRunning(data, {
    id: "0123456789ab",
    mode: "code",
    live: true,
    url: "http://localhost:1234",
    title: "Review",
    repository: folder,
    agent: "codex",
    since: "2026-01-01T00:00:00Z",
    port: 1234,
    token: "t".repeat(32),
  });
  const reviews = watchReviews({ dataDirectory: "", folders: () => [folder], onChange: () => {} });
  onTestFinished(() => reviews.dispose());
  await reviews.refresh();
  expect(reviews.all.map(({ id }) => id)).toEqual(["0123456789ab"]);
});
