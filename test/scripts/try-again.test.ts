import { describe, expect, it } from "vitest";
import { tryAgain } from "../../scripts/try-again.mjs";

/** Fails `failures` times, then returns "done". */
function flaky(failures: number) {
  let calls = 0;
  return {
    calls: () => calls,
    task: () => {
      calls += 1;
      if (calls <= failures) throw new Error(`refused ${calls}\nwith details`);
      return "done";
    },
  };
}

describe("what goes over the network is tried again", () => {
  it.each([0, 1, 2])("gives the result after %i failures, each of them reported", async (failures) => {
    const { task, calls } = flaky(failures);
    const reports: string[] = [];
    const result = await tryAgain("the download", task, {
      pauses: [0, 0],
      report: (text) => reports.push(text),
    });
    expect(result).toBe("done");
    expect(calls()).toBe(failures + 1);
    expect(reports).toHaveLength(failures);
    if (failures > 0)
      expect(reports[0]).toBe("the download failed (refused 1). Trying again in 0 s (attempts left: 2).");
  });

  it("gives up with the last error", async () => {
    const { task, calls } = flaky(5);
    await expect(tryAgain("the download", task, { pauses: [0, 0], report: () => {} })).rejects.toThrow(
      "refused 3",
    );
    expect(calls()).toBe(3);
  });
});
