import { expect, it, onTestFinished, vi } from "vitest";
import { tryGit } from "../../../src/review/git/run-git.ts";
import { testRepository } from "../../support/test-repository.ts";

it("a command without output ends without a timer", async () => {
  const git = await (await (await testRepository({ "a.txt": "one\n" })).open()).git();
  // simple-git's delay after such a command would never end.
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const { exitCode, stdout } = await tryGit(git, ["ls-files", "--others"]);
  expect({ exitCode, length: stdout.length }).toEqual({ exitCode: 0, length: 0 });
});
